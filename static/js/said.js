// The log that screen readers announce: one entry for each finished message, and no more than five.
const said = document.getElementById("said");
const MOST = 5;

if (said) document.addEventListener("page:received", () => {
  while (said.childElementCount > MOST) said.firstElementChild.remove();
});

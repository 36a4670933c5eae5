// What screen readers announce: in the log an entry for each finished message, and no more than five; and how the run
// stands once it stands otherwise, for what is put in anew is read out anew.
const said = document.getElementById("said");
const MOST = 5;

if (said) document.addEventListener("page:received", () => {
  while (said.childElementCount > MOST) said.firstElementChild.remove();
});
document.addEventListener("htmx:oobBeforeSwap", ({ detail }) => {
  const { target, fragment } = detail;
  if (target.closest("[role=status]") && target.isEqualNode(fragment.firstElementChild)) detail.shouldSwap = false;
});

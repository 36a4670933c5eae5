// A link that is shown once: selected, and with a button that copies it where the browser can.
for (const button of document.querySelectorAll("[data-link]")) {
  const field = document.getElementById(button.dataset.link);
  field.select();
  button.hidden = !navigator.clipboard;
  button.addEventListener("click", async () => {
    await navigator.clipboard.writeText(field.value);
    button.textContent = "Copied";
  });
}

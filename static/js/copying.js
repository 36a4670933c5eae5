// Copies an artifact as Markdown; the button is there only where a browser can.
const able = Boolean(navigator.clipboard?.write && window.ClipboardItem);

function reveal() {
  for (const button of document.querySelectorAll("[data-copies][hidden]")) button.hidden = !able;
}

reveal();
document.addEventListener("htmx:afterSettle", reveal);
document.addEventListener("click", async ({ target }) => {
  const button = target.closest?.("[data-copies]");
  if (!button) return;
  const note = document.getElementById("artifact-note");
  try {
    const text = fetch(button.dataset.copies).then((answer) => answer.ok ? answer.text() : Promise.reject(answer.status));
    await navigator.clipboard.write([new ClipboardItem({ "text/plain": text.then((words) => new Blob([words], { type: "text/plain" })) })]);
    note.textContent = "Copied.";
  } catch {
    note.textContent = "Not copied: the browser or the server refused. Download it instead.";
  }
});

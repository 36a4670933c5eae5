// Copies what a message or an artifact says, as Markdown; the button is there only where a browser can.
const able = Boolean(navigator.clipboard?.write && window.ClipboardItem);
const SECONDS = 2;

function reveal() {
  if (able) for (const button of document.querySelectorAll("[data-copies][hidden]")) button.hidden = false;
}

// In a menu, which closes, the artifact's note says it; elsewhere the button itself.
function say(button, words, otherwise) {
  if (button.closest(".menu")) return (document.getElementById("artifact-note").textContent = `${words}.${otherwise}`);
  const before = button.dataset.says ??= button.textContent;
  button.textContent = words;
  setTimeout(() => (button.textContent = before), SECONDS * 1000);
}

reveal();
for (const name of ["htmx:afterSettle", "page:received"]) document.addEventListener(name, reveal);
document.addEventListener("click", async ({ target }) => {
  const button = target.closest?.("[data-copies]");
  if (!button) return;
  try {
    const text = fetch(button.dataset.copies).then((answer) => answer.ok ? answer.text() : Promise.reject(answer.status));
    await navigator.clipboard.write([new ClipboardItem({ "text/plain": text.then((words) => new Blob([words], { type: "text/plain" })) })]);
    say(button, "Copied", "");
  } catch {
    say(button, "Not copied", " The browser or the server refused. Download it instead.");
  }
});

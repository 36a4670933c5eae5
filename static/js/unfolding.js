// Thinking that was unfolded while it was being written stays unfolded when it is finished.
const unfolded = new Set();

document.addEventListener("htmx:oobBeforeSwap", ({ target }) => {
  if (target.matches?.("#live details[open]")) unfolded.add(target.id);
});
document.addEventListener("page:received", () => {
  if (!unfolded.size) return;
  for (const thinking of document.querySelectorAll("#things .thinking[data-parts]"))
    if (thinking.dataset.parts?.split(" ").some((part) => unfolded.delete(part))) thinking.open = true;
});

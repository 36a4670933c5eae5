// Esc stops the agent, unless something is open that Esc closes, or words are being composed.
document.addEventListener("keydown", (event) => {
  if (event.key !== "Escape" || event.isComposing || event.defaultPrevented) return;
  if (document.querySelector(":popover-open, dialog[open], .opened")) return;
  if (document.getElementById("run-status")?.dataset.status !== "running") return;
  event.preventDefault();
  document.getElementById("stop")?.requestSubmit();
});

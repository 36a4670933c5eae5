// Esc stops the agent, unless it is for something that is open, or words are being composed.
document.addEventListener("keydown", (event) => {
  if (event.key !== "Escape" || event.isComposing || event.defaultPrevented) return;
  if (document.querySelector(":popover-open, dialog[open]") || document.activeElement.closest(".opened")) return;
  if (document.getElementById("run-status")?.dataset.status !== "running") return;
  event.preventDefault();
  document.getElementById("stop")?.requestSubmit();
});

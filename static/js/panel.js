// The panel: which of the followed artifacts is open, and closing its form.
const panel = document.getElementById("panel");

function mark() {
  const { id, tools } = document.getElementById("artifact")?.dataset ?? {};
  for (const tab of document.querySelectorAll("#tabs a"))
    if (tab.dataset.id === id) tab.setAttribute("aria-current", "true");
    else tab.removeAttribute("aria-current");
  const slot = document.getElementById("panel-tools");
  if (slot && id && slot.dataset.id !== id) load(slot, id, tools);
}

// What one may do with an artifact differs by person, so it is asked for and not sent to everybody.
function load(slot, id, tools) {
  slot.dataset.id = id;
  slot.replaceChildren();
  htmx.ajax("GET", tools, { target: slot, swap: "innerHTML" });
}

if (panel) {
  mark();
  document.addEventListener("page:received", mark);
  document.addEventListener("htmx:afterSwap", mark);
}
document.addEventListener("click", (event) => {
  const close = event.target.closest?.("[data-closes-edit]");
  if (!close || !document.getElementById("edit-slot")) return;
  event.preventDefault();
  document.getElementById("edit-slot").replaceChildren();
});
document.addEventListener("htmx:afterSwap", ({ target }) => {
  if (target.id === "edit-slot") target.querySelector("textarea")?.focus();
});

// Tells others that this page shows an artifact and whether it is being edited here, and leaves its own reader out of
// those who are here. The artifact's own page says that it is there by its socket.
const EVERY = 15_000;
let last = "";

const form = () => document.getElementById("presence-form");
const editing = () => Boolean(document.querySelector("#edit-slot :is(form.edit, .plan-editor)"));

function withoutMe() {
  const me = document.querySelector("[data-me]")?.dataset.me;
  for (const person of document.querySelectorAll("[data-person]")) person.hidden = person.dataset.person === me;
}

function beat() {
  const sender = form();
  if (!sender || document.visibilityState !== "visible") return;
  const alone = document.querySelector("main.alone");
  if (alone && !editing() && !last.endsWith("yes")) return;
  sender.elements.editing.value = editing() ? "yes" : "no";
  last = `${sender.action} ${sender.elements.editing.value}`;
  htmx.trigger(sender, "beat");
}

function changed() {
  withoutMe();
  if (form() && last !== `${form().action} ${editing() ? "yes" : "no"}`) beat();
}

if (document.getElementById("presence")) {
  document.addEventListener("DOMContentLoaded", changed); // htmx has seen the form by then
  setInterval(beat, EVERY);
  document.addEventListener("page:received", withoutMe);
  for (const name of ["htmx:afterSettle", "artifact:closed"]) document.addEventListener(name, changed);
}

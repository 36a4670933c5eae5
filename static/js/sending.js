import { isStill } from "./focus.js";

// Of the buttons of a form that is being sent, the one that was pressed shows it; without one, the form's first.
document.addEventListener("submit", ({ target, submitter }) => {
  forget(target);
  const pressed = submitter ?? target.querySelector("[type=submit]");
  if (pressed) pressed.dataset.pressed = "";
}, true);
// What is disabled while it is sent loses the focus: who was refused goes on at the button that they pressed.
document.addEventListener("htmx:afterRequest", ({ target, detail }) => {
  if (!target.matches("form")) return; // what has no element of its own, or none any more, ends at one that may hold other forms
  const pressed = forget(target);
  if (!detail.successful && isStill()) pressed?.focus({ preventScroll: true });
});

function forget(form) {
  const pressed = form.querySelector("[data-pressed]");
  if (pressed) delete pressed.dataset.pressed;
  return pressed;
}

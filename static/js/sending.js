// Of the buttons of a form that is being sent, the one that was pressed shows it; without one, the form's first.
document.addEventListener("submit", ({ target, submitter }) => {
  forget(target);
  const pressed = submitter ?? target.querySelector("[type=submit]");
  if (pressed) pressed.dataset.pressed = "";
}, true);
document.addEventListener("htmx:afterRequest", ({ target }) => forget(target));

function forget(form) {
  for (const pressed of form.querySelectorAll("[data-pressed]")) delete pressed.dataset.pressed;
}

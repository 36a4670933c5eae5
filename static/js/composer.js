// The composer: Enter sends and Shift+Enter breaks the line; what is typed is kept for each thread until it is sent.
const form = document.getElementById("composer");
const area = form?.elements.content;
const key = form && `draft:${new URL(form.action).pathname}${form.elements.workspace?.value ?? ""}`;
let sent = null, composing = false;

function keep() {
  try {
    if (area.value) localStorage.setItem(key, area.value);
    else localStorage.removeItem(key);
  } catch { /* private windows may store nothing */ }
}

function forget() {
  try {
    localStorage.removeItem(key);
  } catch { /* as above */ }
}

function recall() {
  try {
    if (!area.value) area.value = localStorage.getItem(key) ?? "";
  } catch { /* as above */ }
}

// Whoever composes words with an input method has them broken off by any change of the text: it waits for the end of that.
function change(text) {
  if (composing) return area.addEventListener("compositionend", () => change(text), { once: true });
  area.value = text(area.value);
  keep();
}

// Put words into the composer, unsent, with a sentence that says where they come from.
export function offer(words, sentence) {
  if (!area) return false;
  change((text) => [text, words].filter(Boolean).join("\n\n"));
  document.getElementById("composer-note").replaceChildren(
    Object.assign(document.createElement("p"), { className: "quiet", textContent: sentence }));
  return true;
}

export const focusComposer = () => area?.focus({ preventScroll: true });

if (form) {
  recall();
  area.addEventListener("input", keep);
  area.addEventListener("compositionstart", () => (composing = true));
  area.addEventListener("compositionend", () => (composing = false));
  area.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || event.shiftKey || event.altKey || event.isComposing || event.keyCode === 229) return;
    event.preventDefault();
    if (area.value.trim()) form.requestSubmit();
  });
  // Where a thread begins, the form leads to another page: if it is refused there, the text comes back with it.
  if (!form.hasAttribute("hx-post")) form.addEventListener("submit", forget);
  form.addEventListener("htmx:beforeRequest", (event) => {
    if (!area.value.trim() || sent !== null) return event.preventDefault();
    sent = area.value;
  });
  form.addEventListener("htmx:afterRequest", () => queueMicrotask(() => (sent = null)));
  // The answer names the id for the next message; what was typed since the sending stays.
  form.addEventListener("message-sent", ({ detail }) => {
    form.elements.message_id.value = detail.next;
    form.elements.notice.checked = false;
    const taken = sent;
    change((text) => (taken !== null && text.startsWith(taken) ? text.slice(taken.length).replace(/^\n/, "") : text));
    document.dispatchEvent(new CustomEvent("page:mine"));
  });
  form.addEventListener("message-refused", ({ detail }) => (form.elements.message_id.value = detail.next));
  for (const starter of document.querySelectorAll("[data-starter]"))
    starter.addEventListener("click", () => { area.value = starter.dataset.starter; keep(); focusComposer(); });
}

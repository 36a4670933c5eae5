// What went wrong with a request that the page's script made, said where the person looks.
const SIGN_IN = "/sign-in/";

export function saySignedOut() {
  const here = encodeURIComponent(location.pathname + location.search);
  const kept = document.querySelector("#composer, form[data-keeps]") ? "What you wrote is still here. " : "";
  show(`You are signed out. ${kept}`, [`${SIGN_IN}?next=${here}`, "Sign in"]);
}

export function sayGone() {
  show("You no longer have access to this. ", ["/", "To your threads"]);
}

function show(words, [href, text]) {
  const line = document.getElementById("notice") ?? document.getElementById("connection");
  if (!line) return;
  const link = Object.assign(document.createElement("a"), { href, textContent: text });
  line.replaceChildren(words, link);
  line.hidden = false;
}

const noteOf = (form) => form?.querySelector(".note") ?? document.getElementById(form?.dataset.note ?? "");

function say(form, words) {
  const note = noteOf(form);
  if (!note) return;
  const line = Object.assign(document.createElement("p"), { className: "error", textContent: words });
  note.replaceChildren(line);
}

document.addEventListener("htmx:sendError", ({ target }) => say(target.closest("form"), "Not sent: the server cannot be reached. Your text is kept; send it again."));
document.addEventListener("htmx:timeout", ({ target }) => say(target.closest("form"), "Not sent: the server does not answer. Your text is kept; send it again."));
document.addEventListener("htmx:responseError", ({ target, detail }) => {
  if (detail.xhr.status === 401) saySignedOut();
  else if (detail.xhr.status === 503) say(target.closest("form"), "Not done: the server cannot reach its data just now. Your text is kept; try again in a moment.");
  else if (detail.xhr.status >= 500) say(target.closest("form"), "Something broke on the server. Your text is kept; try again.");
  else if (detail.xhr.status === 400) say(target.closest("form"), "The server cannot take this: it may be too long. Your text is kept.");
  else say(target.closest("form"), "This is no longer here, or no longer open to you.");
});

// A whole page in answer to a fragment's request is a mistake, such as a form that is too old: never put it into a page.
document.addEventListener("htmx:beforeSwap", (event) => {
  const { xhr } = event.detail;
  if (!/^\s*<!doctype/i.test(xhr.responseText)) return;
  event.detail.shouldSwap = false;
  say(event.target.closest("form"), xhr.status === 403 ? "You have signed in again since this page was loaded. Copy your text, reload, and send it again." : "The server gave an answer that this page cannot show. Reload it.");
});

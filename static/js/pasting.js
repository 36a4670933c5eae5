// A long paste would freeze the field that it is pasted into, and is no message: it is offered as a document beside the
// thread, which the agent follows.
import { isStill } from "./focus.js";

const LINES = 500, CHARACTERS = 20_000;
const form = document.getElementById("composer");
const note = document.getElementById("composer-note");

const linesOf = (text) => text.split("\n").length;
const titleOf = (text) => text.slice(0, 2_000).split("\n").find((line) => line.trim())?.trim().slice(0, 80) || "Pasted text";

function offer(text) {
  const words = Object.assign(document.createElement("p"), { textContent: `That is long for a message (${linesOf(text).toLocaleString()} lines). ` });
  const button = Object.assign(document.createElement("button"), { type: "button", className: "button small", textContent: "Make it a document" });
  button.addEventListener("click", () => make(text, button));
  note.replaceChildren(words, button);
  button.focus();
}

async function make(text, button) {
  button.disabled = true;
  const body = new FormData(form);
  for (const name of ["content", "message_id", "notice"]) body.delete(name);
  body.set("title", titleOf(text));
  body.set("text", text);
  try {
    const answer = await fetch(form.dataset.documents, { method: "POST", body, headers: { "HX-Request": "true" } });
    say(answer.ok ? "It is a document beside this thread now, and the agent follows it." : `Not made: ${await reason(answer)}`, answer.ok);
  } catch {
    say("Not made: the server cannot be reached. Paste it again.", false);
  }
  if (isStill(note)) form.elements.content.focus();
}

const reason = async (answer) => new DOMParser().parseFromString(await answer.text(), "text/html").body.textContent.trim() || answer.status;
const say = (words, isGood) => note.replaceChildren(Object.assign(document.createElement("p"), { className: isGood ? "quiet" : "error", textContent: words }));

if (form?.dataset.documents) form.elements.content.addEventListener("paste", (event) => {
  const text = event.clipboardData.getData("text/plain");
  if (text.length <= CHARACTERS && linesOf(text) <= LINES) return;
  event.preventDefault();
  offer(text);
});

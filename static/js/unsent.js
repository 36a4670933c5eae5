// A message that came after the sign-in had run out: it waits in its composer for whoever signs in again here.
const unsent = document.querySelector("[data-draft]");

try {
  if (unsent?.value) localStorage.setItem(unsent.dataset.draft, unsent.value);
} catch { /* private windows may store nothing: the page shows the text to be copied */ }

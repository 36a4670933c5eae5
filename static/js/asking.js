// What is asked for one place of the page: the last wins, in whatever order answers come, and nothing comes once it is closed.
const asked = new Map();

export function abandon(place) {
  asked.get(place)?.abort();
  asked.delete(place);
}

document.addEventListener("htmx:beforeSend", ({ detail: { requestConfig, target, xhr } }) => {
  if (requestConfig.verb !== "get" || !target.id) return;
  abandon(target.id);
  asked.set(target.id, xhr);
});

// What rings or warns, as a band across the top with one button that ends it: where there
// is no speaker, nobody hears it.
import { byId, el, soon, word } from "/page/dom.js";
import { ask, doing } from "/page/api.js";

const lines = { timers: [], house: [] }; // each {key, said, state, when, loud, stop, snooze}
const silenced = new Set();              // keys of warnings that were stopped here, as long as they last
let seen = [];                           // of those that a person has heard or seen, wherever that was

export function take(kind, body) {
  if (kind !== "alarms") return;
  seen = body.seen;
  showSoon();
}

const isOpen = ({ key }) => !silenced.has(key) && !seen.includes(key);

// put takes over what a part of the page has to say here.
export function put(part, list) {
  lines[part] = list;
  showSoon();
}

const showSoon = soon(show);

function show() {
  const all = [...lines.house, ...lines.timers], band = byId("ringing"), list = byId("ringing-list"), stop = byId("ringing-stop");
  for (const key of silenced) if (!all.some((line) => line.key === key)) silenced.delete(key);
  const open = all.filter(isOpen), shown = JSON.stringify([all.map((line) => [line.key, line.said, line.state]), open.length]);
  if (band.dataset.shown === shown) return; // a button keeps its focus
  band.dataset.shown = shown;
  const within = band.contains(document.activeElement);
  list.replaceChildren(...all.map(({ said, state, when, snooze }) => {
    const later = snooze ? el("button", { type: "button", "aria-label": `${word("timer_snooze")}: ${said}` }, word("timer_snooze")) : null;
    later?.addEventListener("click", () => doing(later, snooze));
    return el("li", { className: "row wrap" }, el("strong", {}, said), el("span", {}, state), when ? el("span", { className: "quiet" }, when) : null, later);
  }));
  stop.textContent = word(open.some((line) => line.loud) ? "timer_stop" : "timer_seen");
  stop.hidden = open.length === 0;
  band.hidden = all.length === 0;
  if (within && (band.hidden || !band.contains(document.activeElement))) (stop.hidden ? byId("content") : stop).focus();
}

byId("ringing-stop").addEventListener("click", () => doing(byId("ringing-stop"), async () => {
  const things = lines.house.filter(isOpen).map(({ key }) => key), rung = lines.timers.filter(isOpen);
  if (lines.house.length) await ask("stop");
  if (things.length) await ask("see", { things });
  for (const key of things) silenced.add(key);
  for (const line of rung) await line.stop?.();
  showSoon();
}));

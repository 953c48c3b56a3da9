// The parts of the gateway in plain words, each that is not well with what mends it.
import { byId, el, foreign, known, say, soon, word } from "/page/dom.js";
import { ask } from "/page/api.js";

export async function load() { await read(); }

export function take(kind) {
  if (kind === "server" || kind === "state") readSoon();
}

const readSoon = soon(() => read().catch(() => {}));
let told = "";

async function read() {
  const { parts } = await ask("ready"), text = JSON.stringify(parts);
  if (text === told) return;
  told = text;
  const ill = parts.filter((part) => part.state !== "ready");
  byId("parts").replaceChildren(...ill.map((part) => el("li", {},
    el("div", { className: "row wrap" },
      el("strong", {}, known("part_", part.name)),
      el("span", { className: `pill ${part.state === "failed" ? "bad" : "warn"}` }, known("partstate_", part.state))),
    part.why ? el("div", {}, foreign(part.why)) : null,
    el("div", { className: "quiet" }, known("mend_", part.name) === part.name ? word("mend") : known("mend_", part.name)))));
  say(byId("parts-fine"), word("parts_fine", { count: parts.length - ill.length }));
}

// Some parts change without an event.
setInterval(() => { if (!document.hidden) readSoon(); }, 10000);

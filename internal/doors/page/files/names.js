// What the last rehearsal found: names that are confused, and words that no dictionary has.
import { byId, el, say, soon, word } from "/page/dom.js";
import { ask, doing } from "/page/api.js";

export async function load() { show(await ask("rehearsal")); }

export function take(kind) {
  if (kind === "house") readSoon();
}

const readSoon = soon(() => load().catch(() => {}));
let told = "";

function show(state) {
  const text = JSON.stringify(state);
  if (text === told) return;
  told = text;
  const confused = (state.report?.confused ?? []).filter((c) => !(c.alias && c.known)), unknown = state.report?.unknown ?? [];
  byId("names").replaceChildren(
    ...confused.map((c) => el("li", {},
      el("strong", {}, c.name),
      el("div", {}, c.alike ? word("names_alike", { names: c.with.join(", ") }) : c.heard ? word("names_heard", { text: c.heard }) : word("names_lost")),
      el("div", { className: "quiet" }, c.alias ? word("names_alias", { name: c.alias }) : word("names_other")))),
    ...unknown.map((w) => el("li", {},
      el("strong", {}, w.word),
      el("div", {}, word("names_unknown", { names: w.names.join(", ") })))));
  const open = confused.length + unknown.length, notes = [];
  if (state.trouble) notes.push(word("names_trouble", { text: state.trouble }));
  if (state.report?.voice) notes.push(word("names_voice"));
  if (open) notes.push(word("names_mend"));
  if (!notes.length) notes.push(state.report ? word("names_fine") : word("names_none"));
  say(byId("names-state"), state.running ? word("names_running", { done: state.done, count: state.names }) : notes.join(" "));
}

byId("names-go").addEventListener("click", (event) => doing(event.currentTarget, async () => show(await ask("rehearse"))));

// A rehearsal tells of no event.
setInterval(() => { if (!document.hidden) readSoon(); }, 10000);

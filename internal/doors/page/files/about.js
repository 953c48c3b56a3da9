// What this gateway is: its version, its area, its configuration, its wake words and how often
// they were heard by mistake.
import { byId, el, foreign, word } from "/page/dom.js";
import { ask } from "/page/api.js";

let about = {};

export function start(told) { about = told; }

export async function load() {
  const list = byId("about"), add = (name, ...content) => list.append(el("dt", {}, word(name)), el("dd", {}, ...content));
  list.replaceChildren();
  add("about_version", foreign(about.version));
  if (about.area) add("about_area", about.area);
  if (about.config) add("about_config", el("code", { dir: "ltr" }, about.config));
  const wakes = await ask("wakes").catch(() => null); // a gateway may hear no wake word
  if (!wakes?.words?.length) return;
  add("about_wakes", ...wakes.words.map(({ word: said }) => el("div", {}, foreign(said))));
  add("about_false", String(wakes.false_today));
}

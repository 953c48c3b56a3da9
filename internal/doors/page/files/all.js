// The buttons above the rooms that end all of a kind at once. Each then takes that back, as long as
// nobody has changed anything since.
import { byId, el, say, word } from "/page/dom.js";
import { can, level } from "/page/kinds.js";

const lasting = 30000;    // ms for which it can be taken back, as by voice
const offers = new Map(); // word -> the offer

// offer makes the button of a group. It is there as long as the house has two such things, so that
// nothing moves under a finger. Each tile shows what became of its thing: send asks one for an act.
export function offer(group, entities, send) {
  if (!offers.has(group.all)) offers.set(group.all, make(group));
  const own = offers.get(group.all);
  Object.assign(own, { entities, send });
  own.show();
}

function make(group) {
  const button = el("button", { type: "button" }, word(group.all)), own = { entities: new Map(), before: [], show };
  const ends = (entity) => !entity.old && group.is(entity); // what is old is not known to be on or open
  const able = () => [...own.entities.values()].filter((entity) => entity.control && group.of(entity));
  let running = 0, forgetting = 0;

  // together sends acts that an undo takes back as one.
  function together(acts) {
    const mark = `${group.all} ${Date.now()}`;
    running += acts.length;
    clearTimeout(forgetting);
    for (const { entity, act, value } of acts) own.send(entity, act, value, mark).finally(() => {
      if (--running === 0) forgetting = setTimeout(forget, lasting);
      show();
    });
  }

  function show() {
    const all = able(), some = all.some(ends), left = all.some((entity) => ends(entity) && entity.state !== "closing");
    const back = own.before.length > 0 && running === 0 && !left, before = button.offsetWidth;
    button.hidden = all.length < 2;
    button.setAttribute("aria-disabled", String(!back && !some));
    button.classList.toggle("back", back);
    if (back && button.textContent !== word("undo")) button.style.minWidth = `${before}px`; // what is beside it stays
    say(button, word(back ? "undo" : group.all));
    if (back) button.setAttribute("aria-label", `${word("undo")}: ${word(group.all)}`);
    else button.removeAttribute("aria-label");
  }

  function forget() {
    own.before = [];
    show();
  }

  button.addEventListener("click", () => {
    if (button.classList.contains("back")) {
      const acts = own.before.flatMap(({ id, ...how }) => (own.entities.has(id) ? [{ entity: own.entities.get(id), ...how }] : []));
      forget();
      together(acts);
      return;
    }
    const on = able().filter(ends);
    if (on.length === 0) return;
    const kept = own.before.filter(({ id }) => !on.some((entity) => entity.id === id)); // of a press that has not ended yet
    own.before = [...kept, ...on.map((entity) => ({ id: entity.id, ...asBefore(entity) }))];
    together(on.map((entity) => ({ entity, act: group.act })));
  });
  byId("all").append(button);
  return own;
}

// asBefore is the act that brings a thing back to how it is now.
function asBefore(entity) {
  const set = level(entity), at = set && entity.values?.[set.ability];
  if (typeof at === "number" && at > 0 && at < 100) return { act: set.act, value: at };
  return { act: can(entity, "open_close") || entity.domain === "cover" ? "open" : "on" };
}

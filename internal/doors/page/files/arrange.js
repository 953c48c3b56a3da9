// The order of the rooms and what is hidden, as the family wants it: by drag or by keys, and
// kept by the gateway.
import { byId, el, word } from "/page/dom.js";
import { ask, doing, offered } from "/page/api.js";
import { icon } from "/page/icons.js";

let kept = { rooms: [], hidden: [] };
let on = false, able = false, keeps = false, redraw = null, dragged = "", asked = 0;

export function start(about, draw) {
  able = offered(about.routes, "arrangement");
  redraw = draw;
}

// load asks for the arrangement. Without one the house is shown all the same.
export async function load() {
  const known = able ? await ask("arrangement").catch(() => null) : null;
  if (known) kept = known;
  keeps = Boolean(known);
}

// offer shows the button that begins to arrange, where there is something to arrange.
export function offer(something) { byId("arrange").hidden = !keeps || !something; }

// arranging reports whether the rooms can be moved now.
export const arranging = () => on;

export const isHidden = (id) => kept.hidden.includes(id);

// inOrder puts rooms into the family's order; the others follow by their names.
export function inOrder(areas) {
  const place = (area) => { const at = kept.rooms.indexOf(area); return at < 0 ? kept.rooms.length : at; };
  return [...areas].sort((a, b) => place(a) - place(b) || a.localeCompare(b));
}

async function keep(rooms, hidden) {
  const mine = ++asked;
  kept = { rooms, hidden };
  redraw();
  await doing(null, async () => {
    const answer = await ask("arrange", { rooms, hidden });
    if (mine !== asked) return; // something else was asked for since
    const same = JSON.stringify([answer.rooms, answer.hidden]) === JSON.stringify([rooms, hidden]);
    kept = answer;
    if (!same) redraw(); // drawing the same again would replace a button while its key is down
  });
}

byId("arrange").prepend(icon("sort"));
byId("arrange").addEventListener("click", (event) => {
  on = !on;
  event.currentTarget.setAttribute("aria-pressed", String(on));
  redraw();
});

// move puts a room to another place.
function move(all, area, to) {
  const rooms = all.filter((other) => other !== area);
  rooms.splice(Math.max(0, to), 0, area);
  keep(rooms, kept.hidden);
}

// movable lets a room be moved: by its buttons, or by dragging it onto another one.
export function movable(section, head, area, all) {
  if (!on) return;
  const at = all.indexOf(area);
  const button = (drawn, name, to) => {
    const made = el("button", { type: "button", disabled: to < 0 || to >= all.length, "aria-label": word(name, { name: area }), "data-key": `${name} ${area}` }, icon(drawn));
    made.addEventListener("click", () => move(all, area, to));
    return made;
  };
  head.append(el("div", { className: "row order" }, button("up", "room_up", at - 1), button("down", "room_down", at + 1)));
  section.draggable = true;
  section.addEventListener("dragstart", (event) => { dragged = area; event.dataTransfer.effectAllowed = "move"; event.dataTransfer.setData("text/plain", area); });
  section.addEventListener("dragend", () => { dragged = ""; });
  section.addEventListener("dragover", (event) => { if (dragged && dragged !== area) event.preventDefault(); });
  section.addEventListener("drop", (event) => {
    event.preventDefault();
    if (dragged && dragged !== area) move(all, dragged, at);
  });
}

// hider is the button that hides a thing, or shows it again; null while nothing is arranged.
export function hider({ id, name }) {
  if (!on) return null;
  const hidden = isHidden(id);
  const made = el("button", { type: "button", className: "hider", "aria-label": word(hidden ? "thing_show" : "thing_hide", { name }), "data-key": `hide ${id}` }, word(hidden ? "show" : "hide"));
  made.addEventListener("click", () => keep(kept.rooms, hidden ? kept.hidden.filter((other) => other !== id) : [...kept.hidden, id]));
  return made;
}

// The rooms as a strip above the house: a tap or a few keys lead to a room, and the strip shows
// which room is in view. That room is kept with the browser's history, so that a reload leads back
// to it. Arrow keys lead from tile to tile.
import { byId, el } from "/page/dom.js";
import { show as showPart } from "/page/tabs.js";
import { language } from "/page/words.js";

const few = 4;    // rooms that need no strip
const quiet = 300; // ms without scrolling after which the room in view is kept
const nav = byId("rooms"), bar = byId("rooms-bar"), skip = document.querySelector('.skip[href="#rooms-bar"]');
let sections = new Map(); // room -> its section
let links = [];           // in the order of the rooms
let here = "";            // the room in view
let jumped = -1;          // where the page was scrolled to by a jump; the room holds until it scrolls on
let wanted = history.state?.room ?? ""; // the room in which the page was left

// show takes over the rooms, in their order. A link that stays is not made anew.
export function show(all) {
  sections = all;
  const names = [...all.keys()];
  nav.hidden = skip.hidden = names.length < few;
  if (links.map((link) => link.textContent).join("\n") !== names.join("\n")) {
    const held = bar.contains(document.activeElement);
    links = names.map((name) => links.find((link) => link.textContent === name) ?? linkTo(name));
    bar.replaceChildren(...links);
    mark(sections.has(here) ? here : names[0] ?? "");
    if (held) links.find((link) => link.tabIndex === 0)?.focus();
  }
  if (wanted && names.indexOf(wanted) > 0 && scrollY === 0 && nav.checkVisibility()) jump(wanted);
  if (names.length) wanted = "";
}

function linkTo(name) {
  const link = el("a", { href: `#${encodeURIComponent(`room-${name}`)}`, tabIndex: -1 }, name);
  link.addEventListener("click", (event) => {
    event.preventDefault();
    jump(name);
    const head = sections.get(name).querySelector("h3");
    head.tabIndex = -1;
    head.focus({ preventScroll: true });
  });
  return link;
}

// jump brings a room into view.
function jump(name) {
  sections.get(name).scrollIntoView();
  jumped = scrollY;
  mark(name);
  keepSoon();
}

// mark shows in the strip which room is in view. The tabulator then comes to its link.
function mark(name) {
  here = name;
  const on = links.find((link) => link.textContent === name), held = bar.contains(document.activeElement);
  for (const link of links) {
    if (link === on) link.setAttribute("aria-current", "true");
    else link.removeAttribute("aria-current");
    if (!held) link.tabIndex = link === on ? 0 : -1;
  }
  if (on && !held) slide(on);
}

// slide brings a link to the middle of the strip, without scrolling the page.
function slide(link) {
  const a = link.getBoundingClientRect(), b = bar.getBoundingClientRect();
  bar.scrollLeft += (a.left + a.right - b.left - b.right) / 2;
}

let keeping = 0;

function keepSoon() {
  clearTimeout(keeping);
  keeping = setTimeout(() => history.replaceState({ ...history.state, room: scrollY > 0 ? here : "" }, ""), quiet);
}

let looking = false;
addEventListener("scroll", () => {
  if (looking || nav.hidden) return;
  looking = true;
  requestAnimationFrame(look);
}, { passive: true });

// look finds the room that is at the top of what is seen.
function look() {
  looking = false;
  if (!nav.checkVisibility() || scrollY === jumped) return;
  jumped = -1;
  const edge = bar.getBoundingClientRect().bottom + 48;
  let at = links[0]?.textContent ?? "";
  for (const [name, section] of sections) {
    if (section.getBoundingClientRect().top > edge) break;
    at = name;
  }
  if (at !== here) mark(at);
  keepSoon();
}

const toStart = document.dir === "rtl" ? "ArrowRight" : "ArrowLeft", toEnd = document.dir === "rtl" ? "ArrowLeft" : "ArrowRight";
const plain = ({ altKey, ctrlKey, metaKey, shiftKey }) => !altKey && !ctrlKey && !metaKey && !shiftKey;

bar.addEventListener("keydown", (event) => {
  const at = links.indexOf(document.activeElement);
  if (at < 0 || !plain(event)) return;
  let to = -1;
  if (event.key === toEnd || event.key === "ArrowDown") to = (at + 1) % links.length;
  else if (event.key === toStart || event.key === "ArrowUp") to = (at + links.length - 1) % links.length;
  else if (event.key === "Home") to = 0;
  else if (event.key === "End") to = links.length - 1;
  else if (/^\S$/u.test(event.key)) to = beginsWith(event.key, at);
  if (to < 0) return;
  event.preventDefault();
  for (const link of links) link.tabIndex = link === links[to] ? 0 : -1;
  links[to].focus({ preventScroll: true });
  slide(links[to]);
});

// beginsWith is the next room after another one whose name begins with a letter; -1: there is none.
function beginsWith(letter, after) {
  const fold = (text) => text.normalize("NFD").slice(0, 1).toLocaleLowerCase(language);
  for (let i = 1; i <= links.length; i++) {
    const at = (after + i) % links.length;
    if (fold(links[at].textContent) === fold(letter)) return at;
  }
  return -1;
}

skip.addEventListener("click", (event) => {
  event.preventDefault();
  showPart("house");
  links.find((link) => link.tabIndex === 0)?.focus();
});

// stopOf is the first thing in a tile that takes keys.
const stopOf = (item) => item.querySelector("button:enabled, input, select");

byId("areas").addEventListener("keydown", (event) => {
  const item = event.target.closest(".tile");
  if (!item || !plain(event) || event.target.matches("input, select")) return;
  const all = [...byId("areas").querySelectorAll(".tile")].filter(stopOf), to = from(item, all, event.key);
  if (!to) return;
  event.preventDefault();
  stopOf(to).focus();
});

// from is the tile to which a key leads from another one.
function from(item, all, key) {
  const at = all.indexOf(item);
  switch (key) {
    case toStart: return all[at - 1];
    case toEnd: return all[at + 1];
    case "ArrowUp": return nearest(item, all, -1);
    case "ArrowDown": return nearest(item, all, 1);
    case "Home": return all.find((other) => other.parentNode === item.parentNode);
    case "End": return all.findLast((other) => other.parentNode === item.parentNode);
    case "PageDown": return all.find((other, i) => i > at && other.parentNode !== item.parentNode);
    case "PageUp": {
      const last = all.findLast((other, i) => i < at && other.parentNode !== item.parentNode);
      return last && all.find((other) => other.parentNode === last.parentNode);
    }
  }
  return undefined;
}

// nearest is the tile that is nearest above or below: of the next row, that which is most nearly in line.
function nearest(item, all, way) {
  const a = item.getBoundingClientRect();
  const far = (b) => Math.abs(b.top - a.top) * 100 + Math.abs(b.left + b.right - a.left - a.right);
  let best, least = Infinity;
  for (const other of all) {
    const b = other.getBoundingClientRect();
    if ((way > 0 ? b.top < a.bottom - 1 : b.bottom > a.top + 1) || far(b) >= least) continue;
    best = other;
    least = far(b);
  }
  return best;
}

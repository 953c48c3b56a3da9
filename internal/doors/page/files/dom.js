// What the modules need of the document. Every text goes in as text and never as
// markup, whoever wrote it.
import words, { language } from "/page/words.js";

export const byId = (id) => document.getElementById(id);

// word returns a word of the family's language, with values put in for {names}.
export function word(name, values = {}) {
  const text = words[name];
  if (text === undefined) return name;
  return text.replace(/\{(\w+)\}/g, (_, key) => String(values[key] ?? ""));
}

// known returns a word if there is one, else the text itself.
export const known = (prefix, text) => words[prefix + text] ?? String(text);

// el makes an element. Properties are set as properties, those with a dash, role and
// for as attributes; children are elements or texts.
export function el(tag, properties = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (value === undefined || value === null) continue;
    if (name.includes("-") || name === "role" || name === "for" || name === "lang") made.setAttribute(name, value);
    else made[name] = value;
  }
  for (const child of children) if (child !== null && child !== undefined && child !== "") made.append(child);
  return made;
}

// foreign is a text that is not in the family's language but in English.
export const foreign = (text, className) => el("span", { lang: "en", className }, text);

// say sets a text only when it differs, so that nothing is read out twice.
export function say(node, text) {
  if (node.textContent !== text) node.textContent = text;
}

// soon runs a task once after many requests for it, apart from the task that asks.
export function soon(task) {
  let waiting = false;
  return () => {
    if (waiting) return;
    waiting = true;
    setTimeout(() => { waiting = false; task(); }, 30);
  };
}

// pause lets the browser draw and answer people between two pieces of work.
export const pause = () => new Promise((go) => setTimeout(go, 0));

const hours = new Intl.DateTimeFormat(language, { hour: "2-digit", minute: "2-digit" });
export const minuteOf = (text) => hours.format(new Date(text));

const near = new Intl.RelativeTimeFormat(language, { numeric: "auto" });
const named = new Intl.DateTimeFormat(language, { weekday: "long" }), dated = new Intl.DateTimeFormat(language, { weekday: "long", day: "numeric", month: "long" });

// dateOf says a day as people do: yesterday, today, tomorrow, a coming Thursday, else its date.
export function dateOf(text) {
  const then = new Date(text), today = new Date(Date.now() + ahead);
  const days = Math.round((new Date(then).setHours(0, 0, 0, 0) - today.setHours(0, 0, 0, 0)) / 86400000);
  if (days > -2 && days < 2) return near.format(days, "day");
  return (days > 0 && days < 7 ? named : dated).format(then);
}

// weekday is the family's word for a day by its English name.
export const weekday = (english) => named.format(new Date(2024, 0, ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"].indexOf(english) + 1));

let ahead = 0; // of the gateway's clock before ours, in milliseconds

export function setClock(gatewayNow) { ahead = new Date(gatewayNow).getTime() - Date.now(); }

// until is how many seconds there are until a time of the gateway's clock.
export const until = (time) => Math.max(0, Math.ceil((new Date(time).getTime() - Date.now() - ahead) / 1000));

export function span(seconds) {
  const s = Math.max(0, Math.ceil(seconds)), pad = (n) => String(n).padStart(2, "0");
  const h = Math.floor(s / 3600), m = Math.floor(s / 60) % 60;
  return h > 0 ? `${h}:${pad(m)}:${pad(s % 60)}` : `${m}:${pad(s % 60)}`;
}

// counting keeps the texts of countdowns true, once a second.
const counting = new Map();
let ticking = 0;

export function countdown(node, text) {
  counting.set(node, text);
  say(node, text());
  if (!ticking) ticking = setInterval(tick, 1000);
  return node;
}

function tick() {
  for (const [node, text] of counting) {
    if (node.isConnected) say(node, text());
    else counting.delete(node);
  }
  if (counting.size === 0) { clearInterval(ticking); ticking = 0; }
}

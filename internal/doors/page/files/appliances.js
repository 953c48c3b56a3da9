// What a house behind Home Assistant has beside lights and blinds: players, robots, fans with
// presets, humidifiers, water heaters, scenes, scripts and lists. Here is what is known of them, and
// the parts of their tiles.
import { el, known, word } from "/page/dom.js";
import { draw } from "/page/icons.js";

// icons are those of the domains; a tile with a row of buttons is wide.
export const icons = { media_player: "loud", vacuum: "robot", lawn_mower: "robot", humidifier: "drop", scene: "spark", script: "spark", todo: "list" };
const wide = ["media_player", "vacuum", "lawn_mower", "humidifier", "water_heater"];

const able = (entity, ability) => Boolean(entity.control) && (entity.abilities ?? []).includes(ability);

export const isWide = (entity) => wide.includes(entity.domain) || able(entity, "preset");

// tones are the states of players and robots that stand out.
export const tones = { playing: "lit", cleaning: "open", mowing: "open", returning: "open", error: "bad" };

// runs tells what has no state: it is started, and that is all.
export const runs = ({ domain }) => domain === "scene" || domain === "script";

// tap is what a tap on one of them asks for; undefined: what a tap on a switch does. A robot is
// started by its own button, and a script, which may do anything, only after a question.
export function tap(entity) {
  switch (entity.domain) {
    case "vacuum": case "lawn_mower": case "todo": return null;
    case "scene": return { act: "on" };
    case "script": return { act: "on", asks: true };
    case "media_player":
      if (able(entity, "play") && (entity.state !== "off" || !able(entity, "on_off"))) return { act: entity.state === "playing" ? "pause" : "play" };
    // fall through: one that is off, or has only a switch
    case "water_heater": return able(entity, "on_off") ? { act: entity.state === "off" ? "on" : "off" } : null;
  }
  return undefined;
}

// told is what is said of one of them beside its state.
export function told({ domain, values = {}, state }, percent, degrees) {
  const number = (name) => typeof values[name] === "number";
  switch (domain) {
    case "media_player": return state === "off" ? [] : [[values.media_title, values.media_artist].filter(Boolean).join(" – ")];
    case "humidifier": return [number("humidity") ? percent(values.humidity) : "", number("target_humidity") && state !== "off" ? word("tile_set", { value: percent(values.target_humidity) }) : ""];
    case "water_heater": return [number("temperature") ? degrees(values.temperature) : "", number("setpoint") && state !== "off" ? word("tile_set", { value: degrees(values.setpoint) }) : ""];
    case "vacuum": case "lawn_mower": return number("battery") ? [word("tile_battery", { value: percent(values.battery) })] : [];
  }
  return [];
}

// rows are the acts of players and robots as buttons: what is drawn, the word, the act, and the
// ability that it takes. The act may depend on how the thing is.
const rows = {
  media_player: [
    ["previous", "tile_previous", "previous", "skip"], ["play", "tile_play", (e) => (e.state === "playing" ? "pause" : "play"), "play"],
    ["next", "tile_next", "next", "skip"], ["hush", "tile_mute", (e) => (e.values?.mute ? "unmute" : "mute"), "mute"],
  ],
  vacuum: [["play", "tile_start", "start", "start"], ["pause", "tile_pause", "pause", "pause"], ["halt", "tile_halt", "stop", "stop"], ["home", "tile_dock", "dock", "dock"]],
  lawn_mower: [["play", "tile_start", "start", "start"], ["pause", "tile_pause", "pause", "pause"], ["home", "tile_dock", "dock", "dock"]],
};

// choices are what one of them is set to by a word of its own.
const choices = [["source", "sources", "tile_source"], ["preset", "presets", "tile_preset"], ["mode", "modes", "tile_mode"]];

// partsOf makes the parts of a tile that only these things have. kit is what a tile is made with:
// button makes a small one, send asks for an act, and what follow is given hears of each state.
export function partsOf(tile, { button, send, follow }) {
  const { entity } = tile, parts = [];
  const buttons = (rows[entity.domain] ?? []).filter(([, , , ability]) => able(entity, ability)).map(([drawn, name, act]) => {
    const made = button(tile, drawn, name, () => send(tile, typeof act === "string" ? act : act(tile.entity)));
    if (name === "tile_play") {
      follow(({ state, name: thing }) => {
        draw(made.firstChild, state === "playing" ? "pause" : "play");
        made.setAttribute("aria-label", word(state === "playing" ? "tile_pause" : "tile_play", { name: thing }));
      });
    }
    if (name === "tile_mute") follow(({ values }) => made.setAttribute("aria-pressed", String(values?.mute === true)));
    return made;
  });
  if (buttons.length) parts.push(el("div", { className: "acts" }, ...buttons));
  const selects = choices.flatMap(([ability, list, name]) => {
    const words = entity.attributes?.[list];
    if (!able(entity, ability) || !Array.isArray(words) || entity.domain === "climate" && ability === "mode") return [];
    const select = el("select", { "aria-label": word(name, { name: entity.name }) }, el("option", { value: "", disabled: true, hidden: true }, "–"), ...words.map((one) => el("option", { value: one }, known("value_", one))));
    select.addEventListener("change", () => send(tile, ability, select.value));
    follow(({ values }) => { select.value = words.includes(values?.[ability]) ? values[ability] : ""; });
    return [select];
  });
  if (selects.length) parts.push(el("div", { className: "acts" }, ...selects));
  return parts;
}

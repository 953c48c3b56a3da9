// The parts of the gateway in plain words, each that is not well with what mends it, and the
// pill in the header, which sums them up.
import { byId, el, foreign, known, say, soon, word } from "/page/dom.js";
import { ask, doing } from "/page/api.js";
import { command } from "/page/copy.js";

export async function load() { await read(); }

export function take(kind, body) {
  if (kind === "state") muted = body.state === "muted";
  if (kind === "server" || kind === "state") readSoon();
}

let muted = false; // the microphone is closed on request

const readSoon = soon(() => read().catch(() => {}));
let told = "";

const tone = { well: "good", poor: "warn", ill: "bad" };

async function read() {
  const ready = await ask("ready"), { parts } = ready, text = JSON.stringify([ready, muted]);
  if (text === told) return;
  told = text;
  sumUp(ready);
  const ill = parts.filter((part) => part.health !== "well");
  const key = document.activeElement?.dataset?.mend; // of what has the focus, which is made anew
  byId("parts").replaceChildren(...(muted ? [closed()] : []), ...ill.map((part) => el("li", {},
    el("div", { className: "row wrap" },
      el("strong", {}, known("part_", part.name)),
      el("span", { className: `pill ${tone[part.health]}` }, stateOf(part))),
    part.said ? el("div", {}, part.said) : null,
    part.why && !part.said ? el("div", {}, foreign(part.why)) : null,
    el("div", { className: "quiet" }, known("mend_", part.name) === part.name ? word("mend") : known("mend_", part.name)),
    ...mend(part.name),
    part.why && part.said ? detail(part) : null)));
  if (key) (byId("parts").querySelector(`[data-mend="${CSS.escape(key)}"]`) ?? byId("health")).focus();
  say(byId("parts-fine"), word("parts_fine", { count: parts.length - ill.length }));
}

const opened = new Set(); // parts whose details are open

// detail is what the log says of a part whose trouble is told in plain words already.
function detail({ name, why }) {
  const made = el("details", { open: opened.has(name), className: "quiet" }, el("summary", { "data-mend": `details ${name}` }, word("details")), foreign(why));
  made.addEventListener("toggle", () => { if (made.open) opened.add(name); else opened.delete(name); });
  return made;
}

// mends are the parts that a button can mend, with what it does and what is asked for.
const mends = {
  mcp: ["retry", async () => { await ask("retry_all"); readSoon(); }],
  http: ["reload", async () => location.reload()],
};

// commands mend the parts that no button mends, or say more about them. For a part that is not
// listed, the log does.
const commands = {
  audio: "voice-gateway devices", speaker: "voice-gateway devices", stt: "voice-gateway models verify", wake: "voice-gateway models pull",
  tts: "sudo apt install espeak-ng", mqtt: "voice-gateway doctor", ai: "voice-gateway doctor", grammar: "voice-gateway doctor", broker: "voice-gateway doctor",
};

// mend is what mends a part: a button, or a command to copy.
function mend(name) {
  if (mends[name]) return [pressed(name, ...mends[name])];
  return [command(commands[name] ?? "journalctl -u voice-gateway")];
}

function pressed(name, does, act) {
  const button = el("button", { type: "button", "data-mend": name }, word(does));
  button.addEventListener("click", () => doing(button, act));
  return button;
}

// closed says that the microphone is closed on request, which is no trouble, and opens it.
const closed = () => el("li", {}, el("div", { className: "row wrap" }, el("strong", {}, known("part_", "audio")), el("span", { className: "pill warn" }, known("state_", "muted"))),
  pressed("mute", "unmute", async () => { await ask("mute", { on: false }); }));

// A part that is ill does not work, whatever else of it still runs.
const stateOf = (part) => known("partstate_", part.health === "ill" && part.state !== "starting" ? "failed" : part.state);

// sumUp makes the pill in the header as bad as the worst part, and names what is that bad.
function sumUp({ health, parts }) {
  const pill = byId("level"), worst = parts.filter((part) => part.health === health);
  pill.className = `pill long ${tone[health]}`;
  say(pill, health === "well" ? word("level_well")
    : [...new Set(worst.map((part) => part.said || `${known("part_", part.name)}: ${stateOf(part)}`))].join(" · "));
}

// Some parts change without an event.
setInterval(() => { if (!document.hidden) readSoon(); }, 10000);

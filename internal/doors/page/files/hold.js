// The button of the microphone. Tapped, it opens an utterance that ends by itself; held, by a
// finger or the space key, it opens one that ends when it is let go. What takes the button away
// lets go of it: a lost pointer or focus, a hidden page, a lost connection.
import { byId, say, word } from "/page/dom.js";
import { ask, doing } from "/page/api.js";

const tapped = 400; // ms; who lets go sooner has tapped
const beat = 1000;  // ms between two signs that the button is held; the gateway waits for 2.5 s
const button = byId("listen");
let since = 0, beating = 0, opened = null; // of the press; 0: the button is not held
let state = "", heard = false;             // whether the gateway has listened since the press
let byPointer = false;                     // the click to come belongs to a press that was taken already
let pointer = 0;                           // the one that pressed; another finger does not let go

const send = (what) => doing(null, () => ask("hold", { button: what }));

function press(event) {
  if (since) return;
  since = event.timeStamp;
  heard = state === "listening";
  opened = send("down").then((open) => open ?? end());
  beating = setInterval(() => send("held").then((open) => open ?? end()), beat);
  button.classList.add("held");
  say(button.querySelector("span"), word("listen_held"));
}

// end forgets the press.
function end() {
  clearInterval(beating);
  since = 0;
  button.classList.remove("held");
  say(button.querySelector("span"), word("listen"));
}

function letGo(event) {
  if (!since) return;
  const tap = event.timeStamp - since < tapped;
  end();
  opened.then((open) => open && (tap ? doing(null, () => ask("listen")) : send("up")));
}

export function take(kind, body) {
  if (kind !== "state") return;
  state = body.state;
  if (!since) return;
  if (state === "listening") heard = true;
  else if (heard) end(); // the gateway has ended it
}

button.addEventListener("pointerdown", (event) => {
  if (event.button !== 0) return;
  if (since) return;
  byPointer = true;
  pointer = event.pointerId;
  button.setPointerCapture(event.pointerId);
  press(event);
});
for (const kind of ["pointerup", "pointercancel", "lostpointercapture"]) {
  button.addEventListener(kind, (event) => { if (event.pointerId === pointer) letGo(event); });
}
button.addEventListener("blur", letGo);
button.addEventListener("contextmenu", (event) => event.preventDefault());
button.addEventListener("keydown", (event) => {
  byPointer = false;
  if (event.key !== " ") return;
  event.preventDefault();
  if (!event.repeat) press(event);
});
button.addEventListener("keyup", (event) => {
  if (event.key !== " ") return;
  event.preventDefault();
  letGo(event);
});
button.addEventListener("click", () => {
  if (byPointer) byPointer = false;
  else doing(button, () => ask("listen"));
});
document.addEventListener("visibilitychange", (event) => { if (document.hidden) letGo(event); });
addEventListener("pagehide", letGo);

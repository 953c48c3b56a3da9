// The page: everything is told by the gateway, and asked of it again only when the
// connection was away too long.
import { byId, minuteOf, say, setClock, soon, word } from "/page/dom.js";
import { ask, clearLost, lastAnswer, noteAnswer } from "/page/api.js";
import { follow } from "/page/feed.js";
import * as talk from "/page/talk.js";
import * as hold from "/page/hold.js";
import * as turns from "/page/turns.js";
import * as timers from "/page/timers.js";
import * as house from "/page/house.js";
import * as servers from "/page/servers.js";
import * as parts from "/page/parts.js";
import * as happened from "/page/happened.js";
import * as names from "/page/names.js";
import * as band from "/page/band.js";
import * as about from "/page/about.js";
import "/page/tabs.js";

const sections = [talk, hold, turns, timers, house, happened, servers, parts, names, band, about];

// load asks for everything; sections fail apart from each other.
async function load() {
  const gateway = await ask("gateway");
  setClock(gateway.now);
  for (const section of sections) section.start?.(gateway);
  const outcomes = await Promise.allSettled(sections.map((section) => section.load?.()));
  if (outcomes[sections.indexOf(house)].status === "fulfilled") {
    fresh = true;
    tellLost();
  }
  document.body.dataset.loaded = String(Number(document.body.dataset.loaded ?? 0) + 1);
}

const loadSoon = soon(() => load().catch((problem) => say(byId("notice"), problem.message)));

// A connection may end without a word, as when a phone leaves the house: then the requests that
// the page makes all the time are not answered.
const patience = 25000; // ms

let broken = false, looked = Date.now(); // since when the page is visible
let fresh = true; // the house was told on this connection, or nothing was missed since
let old = false;  // the house is shown as old

// tellLost says that what the page shows is old, and how old. The house stays old until what was
// missed has come.
function tellLost() {
  const lost = broken || !document.hidden && Date.now() - Math.max(lastAnswer(), looked) > patience;
  if (lost === byId("lost").hidden) {
    if (lost) say(byId("lost"), word("lost_since", { time: minuteOf(lastAnswer()) }));
    byId("lost").hidden = !lost;
  }
  if ((lost || !fresh) === old) return;
  old = !old;
  house.lose(old ? new Date(lastAnswer()).toISOString() : "");
}

setInterval(tellLost, 5000);
document.addEventListener("visibilitychange", () => { looked = Date.now(); });

follow((kind, body) => {
  if (kind === "open" || kind === "lost") {
    broken = kind === "lost";
    if (broken) {
      fresh = false;
    } else {
      clearLost();
      noteAnswer();
    }
    tellLost();
    return;
  }
  noteAnswer();
  if (kind === "hello") {
    if (!body.resumed) loadSoon();
    else {
      fresh = true;
      tellLost();
    }
    return;
  }
  for (const section of sections) section.take?.(kind, body);
});

say(byId("state"), word("state_unknown"));

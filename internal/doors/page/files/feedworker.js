// One connection for all pages of a browser. A page that comes later is told to begin
// with how things stand.
import { open } from "/page/feed.js";

const pages = new Set();
let source = null, lost = false;
const last = new Map(); // the newest event of the kinds that say how things stand

function take(kind, body) {
  if (kind === "open" || kind === "lost") lost = kind === "lost";
  if (["state", "partial", "alarms"].includes(kind)) last.set(kind, body);
  for (const page of pages) page.postMessage({ kind, body });
}

onconnect = ({ ports: [page] }) => {
  pages.add(page);
  page.onmessage = () => {
    pages.delete(page);
    if (pages.size === 0) { source?.close(); source = null; }
  };
  if (!source) {
    last.clear();
    source = open(take);
    return;
  }
  page.postMessage({ kind: lost ? "lost" : "open" });
  page.postMessage({ kind: "hello", body: { resumed: false } });
  for (const [kind, body] of last) page.postMessage({ kind, body });
};

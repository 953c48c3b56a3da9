// The events of the gateway, as they happen. A browser opens few connections to one
// host, so all pages of one browser share one where it has shared workers; else each
// page has its own, and gives it back while nobody looks at it.
const kinds = ["hello", "state", "partial", "turn", "server", "device", "house", "timers", "alarms"];

// follow calls take with the kind and content of every event, "open" and "lost"
// included.
export function follow(take) {
  if ("SharedWorker" in self) {
    const worker = new SharedWorker("/page/feedworker.js", { type: "module", name: "feed" });
    worker.port.onmessage = ({ data }) => take(data.kind, data.body);
    worker.onerror = () => alone(take);
    worker.port.start();
    addEventListener("pagehide", () => worker.port.postMessage("bye"));
    addEventListener("pageshow", (e) => { if (e.persisted) location.reload(); });
    return;
  }
  alone(take);
}

function alone(take) {
  let source = open(take);
  document.addEventListener("visibilitychange", () => {
    if (document.hidden) { source?.close(); source = null; } else if (!source) source = open(take);
  });
}

// hear calls take with what the ear makes of the sound, ten times a second at most, until the
// function that it returns is called.
export function hear(take) {
  const source = new EventSource("/api/events?meter=1");
  source.addEventListener("meter", (e) => take(JSON.parse(e.data)));
  return () => source.close();
}

// open connects and goes on connecting by itself; close ends it.
export function open(take) {
  let source = null, again = 0;
  const connect = () => {
    source = new EventSource("/api/events");
    source.onopen = () => take("open");
    source.onerror = () => {
      take("lost");
      // The browser comes back by itself, except after an answer that is no stream.
      if (source.readyState === EventSource.CLOSED) again = setTimeout(connect, 2000);
    };
    for (const kind of kinds) source.addEventListener(kind, (e) => take(kind, JSON.parse(e.data)));
  };
  connect();
  return { close() { clearTimeout(again); source.close(); } };
}

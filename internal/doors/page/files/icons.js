// Drawings of our own, of lines on 24 by 24.
const lines = {
  lamp: "M9 18h6M10 21h4M12 3a6 6 0 0 0-4 10.5c.8.8 1 1.5 1 2.5h6c0-1 .2-1.7 1-2.5A6 6 0 0 0 12 3z",
  plug: "M9 3v5M15 3v5M6 8h12v3a6 6 0 0 1-12 0zM12 17v4",
  fan: "M12 10.5C9 8 10 3 13 3s3 4-1 7.5M13.5 12c2.5-3 7.5-2 7.5 1s-4 3-7.5-1M10.5 12C8 15 3 14 3 11s4-3 7.5 1M12 13.5c3 2.5 2 7.5-1 7.5s-3-4 1-7.5",
  blind: "M4 4h16M6 4v13M18 4v13M6 8h12M6 12h12M6 16.5h12M12 16.5V21",
  garage: "M3 10l9-6 9 6v10H3zM7 20v-8h10v8M7 16h10",
  lock: "M6 11h12v9H6zM9 11V8a3 3 0 0 1 6 0v3M12 15v2",
  unlock: "M6 11h12v9H6zM9 11V7a3 3 0 0 1 5.8-1M12 15v2",
  heat: "M10 5a2 2 0 0 1 4 0v8a4 4 0 1 1-4 0zM12 9v7",
  door: "M6 21V4h12v17M4 21h16M14.5 12v1.5",
  window: "M5 4h14v16H5zM12 4v16M5 12h14",
  motion: "M13 3.5a1.5 1.5 0 1 0 .01 0M9 21l2.5-6L10 12l1-4 3 3h3M11 8l-3 3M11.5 15l4 6",
  bell: "M12 4a5 5 0 0 1 5 5v4l2 3H5l2-3V9a5 5 0 0 1 5-5zM10 19a2 2 0 0 0 4 0",
  drop: "M12 3c4 5 6 7.5 6 11a6 6 0 0 1-12 0c0-3.5 2-6 6-11z",
  valve: "M3 15h6M15 15h6M9 12h6v6H9zM12 12V7M8 7h8",
  palette: "M12 3a9 9 0 1 0 0 18c1.5 0 2-1 1.5-2-.8-1.6.2-3 2-3H18a3 3 0 0 0 3-3.5C20.5 7 16.5 3 12 3zM7.5 12h.01M9.5 8h.01M14.5 8h.01",
  dot: "M12 7.5a4.5 4.5 0 1 0 .01 0",
  home: "M4 11l8-7 8 7M6 9.5V20h12V9.5M10 20v-6h4v6", talk: "M4 5h16v11h-9l-4 4v-4H4z", clock: "M12 4a8 8 0 1 0 .01 0M12 8v4.5l3 2",
  gear: "M4 7h10M18 7h2M4 17h2M10 17h10M16 5a2 2 0 1 0 .01 0M8 15a2 2 0 1 0 .01 0",
  mic: "M12 3a3 3 0 0 1 3 3v6a3 3 0 0 1-6 0V6a3 3 0 0 1 3-3zM5.5 11a6.5 6.5 0 0 0 13 0M12 17.5V21", deaf: "M12 3a3 3 0 0 1 3 3v6a3 3 0 0 1-6 0V6a3 3 0 0 1 3-3zM5.5 11a6.5 6.5 0 0 0 13 0M12 17.5V21M4 4l16 16",
  loud: "M4 9.5v5h4l5 4V5.5l-5 4zM16 9a4 4 0 0 1 0 6M18.5 6.5a8 8 0 0 1 0 11",
  sort: "M8 20V4M4.5 7.5L8 4l3.5 3.5M16 4v16M12.5 16.5L16 20l3.5-3.5",
  hush: "M4 9.5v5h4l5 4V5.5l-5 4zM16.5 9.5l5 5M21.5 9.5l-5 5",
  play: "M8 5l11 7-11 7z", pause: "M8 6v12M16 6v12", next: "M6 6l8 6-8 6zM18 6v12", previous: "M18 6l-8 6 8 6zM6 6v12",
  robot: "M12 4a8 8 0 1 0 .01 0M12 9a3 3 0 1 0 .01 0M8 5.5v2M16 5.5v2", spark: "M12 3l2 7 7 2-7 2-2 7-2-7-7-2 7-2z", list: "M9 6h11M9 12h11M9 18h11M4.5 6h.01M4.5 12h.01M4.5 18h.01",
  up: "M6 15l6-6 6 6", down: "M6 9l6 6 6-6", halt: "M8 8h8v8H8z", less: "M6 12h12", more: "M6 12h12M12 6v12",
};

const space = "http://www.w3.org/2000/svg";

// icon draws one; what it shows is said in words beside it.
export function icon(name) {
  const svg = document.createElementNS(space, "svg"), path = document.createElementNS(space, "path");
  svg.setAttribute("viewBox", "0 0 24 24");
  svg.setAttribute("aria-hidden", "true");
  svg.append(path);
  draw(svg, name);
  return svg;
}

// draw changes what an icon shows.
export function draw(svg, name) {
  svg.firstChild.setAttribute("d", lines[name] ?? lines.dot);
}

// dial makes a ring, and what fills a part of it, from nothing at 0 to all of it at 1.
export function dial() {
  const svg = document.createElementNS(space, "svg"), rings = [0, 1].map(() => document.createElementNS(space, "circle"));
  svg.setAttribute("viewBox", "0 0 24 24");
  svg.setAttribute("aria-hidden", "true");
  for (const ring of rings) for (const [name, value] of [["cx", 12], ["cy", 12], ["r", 10.5], ["pathLength", 100]]) ring.setAttribute(name, value);
  svg.append(...rings);
  return { svg, fill: (part) => rings[1].setAttribute("stroke-dasharray", `${Math.min(1, Math.max(0, part)) * 100} 200`) };
}

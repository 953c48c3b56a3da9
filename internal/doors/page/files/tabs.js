// On a phone one part of the page is shown at a time; on a wide screen all of them are.
import { icon } from "/page/icons.js";

const buttons = [...document.querySelectorAll(".tabs button")];
const places = {}; // where each part was scrolled to
const drawn = { house: "home", talk: "talk", timers: "clock", happened: "list", system: "gear" };

// show shows one part.
export function show(tab) {
  document.body.dataset.tab = tab;
  for (const button of buttons) {
    if (button.dataset.tab === tab) button.setAttribute("aria-current", "page");
    else button.removeAttribute("aria-current");
  }
}

for (const button of buttons) {
  button.prepend(icon(drawn[button.dataset.tab]));
  button.addEventListener("click", () => {
    const from = document.body.dataset.tab, to = button.dataset.tab;
    places[from] = scrollY;
    show(to);
    scrollTo(0, to === from ? 0 : places[to] ?? 0); // back to where it was; once more, to its top
  });
}

// Who skips to a part sees it.
for (const [link, tab] of [['.skip[href="#ask-text"]', "talk"], ["#level", "system"]]) document.querySelector(link).addEventListener("click", () => show(tab));

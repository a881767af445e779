// Figures with hover: each picture is replaced by the same specification drawn in the page, one after another.
"use strict";

const dark = matchMedia("(prefers-color-scheme: dark)");
const narrow = matchMedia("(max-width: 700px)");

async function draw(figure) {
  const address = new URL(figure.dataset.spec, location.href);
  address.searchParams.set("theme", dark.matches ? "dark" : "light");
  address.searchParams.set("size", narrow.matches ? "narrow" : "wide");
  const answer = await fetch(address, { credentials: "same-origin" });
  if (!answer.ok) return;
  const place = document.createElement("div");
  place.className = "drawn";
  // The interpreter evaluates expressions without code generation, which the page's policy forbids.
  const options = { ast: true, actions: false, renderer: "canvas", defaultStyle: false, tooltip: { disableDefaultStyle: true } };
  await vegaEmbed(place, await answer.json(), options);
  const picture = figure.querySelector("picture");
  place.setAttribute("role", "img");
  place.setAttribute("aria-label", picture.querySelector("img").alt);
  figure.querySelector(".drawn")?.remove();
  picture.hidden = true;
  picture.before(place);
}

const waiting = new Set();
let drawing = false;

// One after another, those in view first; the others follow by themselves, so that a page printed unread has them too.
async function drawWaiting() {
  if (drawing) return;
  drawing = true;
  while (waiting.size) {
    const all = [...waiting];
    const next = all.find(isInView) || all[0];
    waiting.delete(next);
    if (next.isConnected) await draw(next).catch(() => {}); // the picture stays
  }
  drawing = false;
}

function isInView(figure) {
  const place = figure.getBoundingClientRect();
  return place.bottom > 0 && place.top < innerHeight;
}

function watch() {
  for (const figure of document.querySelectorAll("figure.plot[data-spec]")) waiting.add(figure);
  drawWaiting();
}

document.addEventListener("DOMContentLoaded", watch);
document.addEventListener("htmx:after:swap", watch);
for (const query of [dark, narrow]) query.addEventListener("change", watch);

// Pictures that nothing has replaced yet are fetched when the page is printed.
addEventListener("beforeprint", () => {
  for (const picture of document.querySelectorAll("figure.plot img[loading=lazy]")) picture.loading = "eager";
});

// Figures with hover: each picture is replaced by the same specification drawn in the page, once it comes into view.
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
  figure.prepend(place);
}

const watcher = new IntersectionObserver((entries) => {
  for (const entry of entries.filter((one) => one.isIntersecting)) {
    watcher.unobserve(entry.target);
    draw(entry.target).catch(() => {}); // the picture stays
  }
}, { rootMargin: "200px" });

function watch() {
  for (const figure of document.querySelectorAll("figure.plot[data-spec]")) watcher.observe(figure);
}

document.addEventListener("DOMContentLoaded", watch);
document.addEventListener("htmx:after:swap", watch);
for (const query of [dark, narrow]) query.addEventListener("change", watch);

// Small things that need the viewer's browser: times in their own zone, seconds that pass, whether live updates arrive.
"use strict";

const twoDigits = (number) => String(number).padStart(2, "0");

function showLocalTimes(root) {
  for (const element of root.querySelectorAll("time[datetime]")) {
    const at = new Date(element.dateTime);
    const day = [at.getFullYear(), twoDigits(at.getMonth() + 1), twoDigits(at.getDate())].join("-");
    const text = `${day} ${twoDigits(at.getHours())}:${twoDigits(at.getMinutes())}`;
    if (element.textContent !== text) element.textContent = text;
  }
}

function countSeconds() {
  for (const element of document.querySelectorAll("[data-since]")) {
    const seconds = Math.max(0, Math.round((Date.now() - Date.parse(element.dataset.since)) / 1000));
    element.textContent = seconds < 100 ? `${seconds} s` : `${Math.round(seconds / 60)} min`;
  }
}

function showWaiting(event) {
  const note = event.target.querySelector("[data-waiting]");
  if (!note) return;
  note.hidden = false;
  note.querySelector("[data-clock]").dataset.since = new Date().toISOString();
}

function say(text) {
  const element = document.getElementById("live-state");
  if (element) element.textContent = text;
}

/* A problem under a field is about what stood there: it goes when the field is changed. */
function dropProblem(event) {
  const field = event.target;
  if (field.getAttribute("aria-invalid") !== "true") return;
  field.removeAttribute("aria-invalid");
  for (const id of (field.getAttribute("aria-describedby") || "").split(" ")) {
    const problem = document.getElementById(id);
    if (problem && problem.classList.contains("problem")) problem.remove();
  }
}

/* Copying needs a script; without one the text stands in a field and can be selected. */
function offerCopying() {
  for (const button of document.querySelectorAll("button[data-copy]")) {
    const field = document.getElementById(button.dataset.copy);
    button.hidden = false;
    field.addEventListener("focus", () => field.select());
    button.addEventListener("click", async () => {
      try {
        await navigator.clipboard.writeText(field.value);
        button.textContent = "Copied";
      } catch {
        field.focus();
        button.textContent = "Selected: copy it with the keyboard";
      }
    });
  }
}

document.addEventListener("DOMContentLoaded", offerCopying);
/* A file that takes seconds to make: a note says so until it is there. Without this script the link is a plain download. */
const making = new Set();

function note(text, clock) {
  const place = document.getElementById("making");
  place.textContent = text;
  if (!clock) return;
  const seconds = Object.assign(document.createElement("span"), { ariaHidden: "true", textContent: "0 s" });
  seconds.dataset.since = new Date().toISOString();
  place.append(" ", seconds);
}

function save(content, answer) {
  const named = /filename="([^"]+)"/.exec(answer.headers.get("Content-Disposition") || "");
  const link = document.createElement("a");
  link.href = URL.createObjectURL(content);
  link.download = named ? named[1] : "";
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60000);
}

async function fetchFile(address, words) {
  making.add(address);
  note(`${words}: about ten seconds.`, true);
  try {
    const answer = await fetch(address, { credentials: "same-origin" });
    if (!answer.ok || !answer.headers.has("Content-Disposition")) throw new Error(answer.statusText);
    save(await answer.blob(), answer);
    note("The file is ready and downloads.");
    setTimeout(() => { if (!making.size) note(""); }, 6000);
  } catch {
    note("");
    location.assign(address); // the page that says what is wrong
  } finally {
    making.delete(address);
  }
}

function startFile(event) {
  const link = event.target.closest("a[data-making]");
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
  event.preventDefault();
  if (!making.has(link.href)) fetchFile(link.href, link.dataset.making);
}

document.addEventListener("click", startFile);
document.addEventListener("input", dropProblem);
document.addEventListener("DOMContentLoaded", () => { showLocalTimes(document); setInterval(countSeconds, 1000); });
document.addEventListener("submit", showWaiting);
document.addEventListener("htmx:after:swap", () => { showLocalTimes(document); countSeconds(); });
document.addEventListener("htmx:sse:after:connection", () => say("live"));
document.addEventListener("htmx:sse:error", () => say("reconnecting"));

/* The rating page: keys, drafts on every change, activity, and sending that survives a cut line. Everything also works without it. */
"use strict";
(() => {
  const form = document.getElementById("rating");
  if (!form) return;
  const here = form.dataset.item;
  const saved = document.getElementById("saved");
  const notice = document.getElementById("notice");
  const sendButton = document.getElementById("send");
  const STORE = `unsaved:${here}`;
  const KEYS = "single-keys";
  const field = (name) => form.elements.namedItem(name);
  const scales = [...form.querySelectorAll("fieldset[data-dimension]")].filter((one) => one.querySelector("input[type=radio]"));
  const store = {
    get: (area, name) => { try { return area.getItem(name); } catch { return null; } },
    set: (area, name, value) => { try { area.setItem(name, value); } catch { /* private windows may refuse */ } },
    drop: (area, name) => { try { area.removeItem(name); } catch { /* as above */ } },
  };

  /* what the rater does: one mark a second at most, and when the page comes into view or goes out of it */
  const visit = crypto.randomUUID ? crypto.randomUUID() : String(Math.random()).slice(2);
  field("visit").value = visit;
  let events = [];
  let lastMark = 0;
  const mark = (kind) => {
    const now = Date.now();
    if (kind === "used" && now - lastMark < 1000) return;
    lastMark = now;
    events.push([now, kind]);
  };
  const takeEvents = () => { const taken = events; events = []; return JSON.stringify(taken); };
  mark(document.hidden ? "hidden" : "shown");
  for (const name of ["pointerdown", "pointermove", "keydown", "wheel", "touchmove", "input"]) addEventListener(name, () => mark("used"), { passive: true });
  addEventListener("scroll", () => mark("used"), { passive: true, capture: true });
  document.addEventListener("visibilitychange", () => { mark(document.hidden ? "hidden" : "shown"); if (document.hidden) flush(); });
  const flush = () => {
    if (!events.length) return;
    const body = new URLSearchParams({ csrf_token: field("csrf_token").value, visit, events: takeEvents() });
    fetch(`${here}/activity`, { method: "POST", body, keepalive: true }).catch(() => {});
  };
  setInterval(flush, 15000);
  addEventListener("pagehide", flush);

  /* drafts */
  const contents = () => {
    const data = new URLSearchParams();
    for (const [name, value] of new FormData(form)) if (name !== "events" && name !== "reason" && name !== "skip_note") data.append(name, value);
    return data;
  };
  const say = (text) => { saved.textContent = text; };
  const warn = (text, link) => {
    notice.textContent = text;
    if (link) { const a = document.createElement("a"); a.href = link.href; a.textContent = link.text; notice.append(" ", a); }
    notice.hidden = false;
  };
  let saving = false;
  let settled = Promise.resolve();
  let dirty = false;
  let timer = 0;
  let leaving = false;
  const remember = () => store.set(sessionStorage, STORE, contents().toString());
  const save = () => {
    if (leaving) return;
    if (saving) { dirty = true; return; }
    saving = true;
    settled = send();
  };
  const send = async () => {
    dirty = false;
    clearTimeout(timer);
    const body = contents();
    body.set("events", takeEvents());
    say("saving…");
    try {
      const answer = await fetch(`${here}/draft`, { method: "POST", body, headers: { Accept: "application/json" } });
      if (answer.ok) {
        const kept = await answer.json();
        field("version").value = kept.version;
        if (!dirty) store.drop(sessionStorage, STORE);
        notice.hidden = true;
        say(`saved ${new Date().toTimeString().slice(0, 5)}`);
      } else if (answer.status === 401) {
        say("not saved");
        warn("Your session has ended. What you filled in is kept in this tab.", { href: `/rate/return?next=${encodeURIComponent(here.replace("/rate", ""))}`, text: "Come back with your code" });
      } else if (answer.status === 409 && (await answer.json()).problem === "conflict") {
        leaving = true;
        store.drop(sessionStorage, STORE);
        form.action = `${here}/compare`;
        form.submit();
      } else {
        say("not saved");
        warn("This could not be saved just now. It is kept in this tab; reload the page to go on.");
      }
    } catch {
      say("not saved yet");
      warn("The line seems to be cut. What you filled in is kept and will be saved once it is back.");
      dirty = true;
      timer = setTimeout(save, 3000);
    } finally {
      saving = false;
    }
    if (dirty && !timer) save();
    timer = 0;
  };
  let pending = 0;
  const changed = (soon) => {
    remember();
    clearTimeout(pending);
    pending = setTimeout(save, soon ? 0 : 600);
  };
  addEventListener("online", () => { if (dirty) save(); });

  /* scales */
  const chosen = (scale) => scale.querySelector("input:checked");
  const show = (scale) => {
    const radio = chosen(scale);
    const state = scale.querySelector("[data-state]");
    const anchor = scale.querySelector("[data-anchor]");
    if (!radio) return;
    const label = radio.closest("label").cloneNode(true);
    label.querySelectorAll("kbd, input").forEach((one) => one.remove());
    state.textContent = label.textContent.trim();
    state.className = "state done";
    const text = document.getElementById(radio.getAttribute("aria-describedby") || "");
    if (anchor) anchor.textContent = text ? `${radio.value} · ${text.textContent}` : "";
  };
  scales.forEach(show);
  form.addEventListener("change", (event) => {
    const scale = event.target.closest("fieldset[data-dimension]");
    if (scale) show(scale);
    if (event.target.name !== "reason") changed(true);
  });
  form.addEventListener("input", (event) => { if (event.target.name === "note") changed(false); });
  const choose = (scale, value) => {
    const radio = scale.querySelector(`input[value="${value}"]`);
    if (!radio) return false;
    radio.checked = true;
    radio.dispatchEvent(new Event("change", { bubbles: true }));
    return true;
  };
  const focusOn = (scale) => {
    const radio = chosen(scale) || scale.querySelector("input");
    radio.focus({ preventScroll: true });
    scale.scrollIntoView({ block: "nearest" });
  };
  const current = () => {
    const inside = document.activeElement && document.activeElement.closest("fieldset[data-dimension]");
    return scales.includes(inside) ? inside : scales.find((one) => !chosen(one)) || scales[0];
  };
  const goOn = (scale) => {
    const next = scales[scales.indexOf(scale) + 1];
    if (next) focusOn(next); else sendButton.focus({ preventScroll: true });
  };

  /* keys */
  const dialog = document.getElementById("keys");
  const opener = document.getElementById("show-keys");
  const single = document.getElementById("single-keys");
  opener.hidden = false;
  single.checked = store.get(localStorage, KEYS) !== "off";
  single.addEventListener("change", () => store.set(localStorage, KEYS, single.checked ? "on" : "off"));
  opener.addEventListener("click", () => dialog.showModal());
  const writes = (target) => target.closest("textarea, select, input:not([type=radio], [type=checkbox], [type=hidden])");
  addEventListener("keydown", (event) => {
    if (dialog.open) return;
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) { event.preventDefault(); form.requestSubmit(sendButton); return; }
    if (event.ctrlKey || event.metaKey || event.altKey || writes(event.target)) return;
    const radio = event.target.closest("fieldset[data-dimension] input[type=radio]");
    const step = { ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1 }[event.key];
    if (radio && step) {
      const radios = [...radio.closest("fieldset").querySelectorAll("input[type=radio]")];
      const from = radios.findIndex((one) => one.checked);
      const to = from < 0 ? radios.indexOf(radio) : Math.min(radios.length - 1, Math.max(0, from + (radios[0].closest(".labelled") && event.key.match(/Up|Down/) ? -step : step)));
      event.preventDefault();
      radios[to].focus({ preventScroll: true });
      choose(radio.closest("fieldset"), radios[to].value);
      return;
    }
    if (!single.checked || event.repeat) return;
    const value = /^[0-9]$/.test(event.key) ? event.key : event.key === "x" ? "10" : null;
    if (value !== null && scales.length) {
      const scale = current();
      if (choose(scale, value)) { event.preventDefault(); goOn(scale); }
    } else if (event.key === "f") {
      field("flagged").click();
    } else if (event.key === "?") {
      event.preventDefault();
      dialog.showModal();
    }
  });

  /* sending: the same key again is the same rating, so a cut line is simply tried again */
  const deliver = async (address) => {
    const body = new URLSearchParams(new FormData(form));
    try {
      const answer = await fetch(address, { method: "POST", body, headers: { Accept: "application/json" } });
      if (answer.status >= 500) throw new Error(answer.statusText);
      if (answer.status !== 403) store.drop(sessionStorage, STORE);
      if (answer.ok) {
        const next = new URL((await answer.json()).next, location.href);
        if (next.pathname !== location.pathname) { location.assign(next); return; }
        location.hash = next.hash;
        location.reload();
        return;
      }
      /* something to mend, another version, or an ended session: the same form sent plainly brings the page that says so */
      form.action = address;
      form.submit();
    } catch {
      warn("The line seems to be cut, or the server is away. Trying again; nothing is lost, and nothing is sent twice.");
      setTimeout(() => deliver(address), 2000);
    }
  };
  form.addEventListener("submit", (event) => {
    const button = event.submitter || sendButton;
    event.preventDefault();
    if (button.id === "save") { save(); return; }
    if (leaving) return;
    leaving = true;
    clearTimeout(pending);
    clearTimeout(timer);
    for (const one of form.querySelectorAll("button")) one.setAttribute("aria-disabled", "true");
    field("events").value = takeEvents();
    say("sending…");
    remember();
    /* a draft still on its way must arrive first: after this page it would look like another tab's */
    const patience = new Promise((done) => setTimeout(done, 5000));
    Promise.race([settled, patience]).then(() => deliver(button.getAttribute("formaction") || form.action));
  });
  addEventListener("pageshow", (event) => { if (event.persisted) location.reload(); });

  /* what a lost session left in this tab */
  const left = store.get(sessionStorage, STORE);
  if (left) {
    const kept = new URLSearchParams(left);
    if (kept.get("key") === field("key").value) {
      for (const scale of scales) { const value = kept.get(`v.${scale.dataset.dimension}`); if (value !== null) choose(scale, value); }
      if (kept.get("note")) field("note").value = kept.get("note");
      field("flagged").checked = kept.get("flagged") === "yes";
      for (const one of form.querySelectorAll("input[name=confidence], input[name=seen_before]")) if (kept.get(one.name) === one.value) one.checked = true;
      changed(true);
    } else {
      store.drop(sessionStorage, STORE);
    }
  }
  document.getElementById("save").hidden = true;
  const first = scales.find((one) => !chosen(one));
  if (first && matchMedia("(min-width: 901px)").matches) focusOn(first);
})();

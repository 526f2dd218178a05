"use strict";
(() => {
  const main = () => document.getElementById("content");
  const say = text => { document.getElementById("status").textContent = text; };

  // A link into a folded part opens it.
  const reach = () => {
    const at = location.hash && document.getElementById(decodeURIComponent(location.hash.slice(1)));
    for (let e = at; e; e = e.parentElement) if (e.tagName === "DETAILS") e.open = true;
    if (at) at.scrollIntoView();
  };
  addEventListener("hashchange", reach);
  reach();

  // A choice filters at once; text when it is sent.
  document.addEventListener("change", e => { if (e.target.tagName === "SELECT" && e.target.form) e.target.form.requestSubmit(); });
  document.addEventListener("submit", e => { for (const field of e.target.elements) if (field.name && !field.value) field.disabled = true; });
  addEventListener("pageshow", () => { for (const field of document.querySelectorAll(":disabled")) field.disabled = false; });

  // Keys: / to the text, left and right to the pages before and after.
  addEventListener("keydown", e => {
    if (e.altKey || e.ctrlKey || e.metaKey || /^(INPUT|SELECT|TEXTAREA)$/.test(e.target.tagName)) return;
    const to = e.key === "/" ? document.getElementById("f-q")
      : e.key === "ArrowLeft" ? document.querySelector("a[rel=prev]")
      : e.key === "ArrowRight" ? document.querySelector("a[rel=next]") : null;
    if (!to || e.key !== "/" && e.target.closest && e.target.closest(".scroll, .wide, pre")) return;
    e.preventDefault();
    if (e.key === "/") to.focus(); else to.click();
  });

  // Where something changes, the server says so, and the content is fetched anew. What a reader opened or closed,
  // marked or is about to type stays.
  let events = null, busy = false, again = false;
  const busyReading = () => {
    const at = document.activeElement;
    return String(getSelection()) !== "" || at && main().contains(at) && /^(INPUT|SELECT)$/.test(at.tagName);
  };
  const path = e => {
    const steps = [];
    for (; e && e !== main(); e = e.parentElement) steps.unshift([...e.parentElement.children].indexOf(e));
    return steps.join(".");
  };
  const update = async () => {
    if (busy || busyReading()) { again = true; return; }
    busy = true; again = false;
    try {
      const reply = await fetch(location.href, { headers: { Accept: "text/html" } });
      const next = new DOMParser().parseFromString(await reply.text(), "text/html").getElementById("content");
      if (next && next.innerHTML !== main().dataset.was && !busyReading()) {
        const folds = new Map([...main().querySelectorAll("details")].map(d => [path(d), d.open]));
        const focus = document.activeElement && main().contains(document.activeElement) ? path(document.activeElement) : null;
        const was = next.innerHTML;
        main().replaceWith(document.adoptNode(next));
        main().dataset.was = was;
        for (const d of main().querySelectorAll("details")) if (folds.has(path(d))) d.open = folds.get(path(d));
        if (focus !== null) for (const e of main().querySelectorAll("a, pre, summary, [tabindex]")) if (path(e) === focus) e.focus({ preventScroll: true });
      }
      say(events ? "live" : "");
    } catch { say("the server does not answer"); }
    busy = false;
  };
  const listen = () => {
    const url = main().dataset.live;
    if (!url || events || document.hidden) return;
    events = new EventSource(url);
    events.onopen = () => say("live");
    events.onmessage = update;
    events.onerror = () => say("the server does not answer");
    events.addEventListener("end", () => { close(); say(""); update(); });
  };
  const close = () => { if (events) events.close(); events = null; };
  document.addEventListener("visibilitychange", () => { if (document.hidden) close(); else listen(); });
  addEventListener("pagehide", close);
  setInterval(() => { if (again) update(); }, 1000);
  main().dataset.was = main().innerHTML;
  listen();
})();

"use strict";
(() => {
  const reach = () => {
    const at = location.hash && document.getElementById(decodeURIComponent(location.hash.slice(1)));
    for (let e = at; e; e = e.parentElement) if (e.tagName === "DETAILS") e.open = true;
    if (at) at.scrollIntoView();
  };
  addEventListener("hashchange", reach);
  reach();
  let opened = [];
  addEventListener("beforeprint", () => { opened = [...document.querySelectorAll("details:not([open])")]; for (const d of opened) d.open = true; });
  addEventListener("afterprint", () => { for (const d of opened) d.open = false; });
})();

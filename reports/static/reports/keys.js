"use strict";
// Keys for those who like them: / opens the search, arrows to the days before and after, ? says which keys there are.
// They can be switched off, because who dictates to a computer or hits keys by accident is better off without.
(() => {
  const CHOICE = "keys";
  const WRITING = "input:not([type=button], [type=submit], [type=reset], [type=checkbox], [type=radio]), textarea, select, [contenteditable]";
  const CONTROL = "a[href], button, input, textarea, select, summary, audio, video, [contenteditable], [tabindex]:not(main), [role=slider]";
  const dialog = document.getElementById("keys");
  const opener = document.getElementById("keys-open");
  const choice = document.getElementById("keys-on");

  function toSearch() {
    const opener = document.getElementById("search-open");
    if (opener) opener.click();
    return opener !== null;
  }

  // Where lines run from right to left, later days are to the left.
  function toNeighbour(right) {
    const later = right === (document.documentElement.dir !== "rtl");
    const link = document.querySelector(`main a[href][rel~=${later ? "next" : "prev"}]`);
    if (link) link.click();
    return link !== null;
  }

  function pressed(key, at) {
    if (at.closest(WRITING)) return false;
    if (key === "/") return toSearch();
    if (key === "?") return help();
    if (at.closest(CONTROL)) return false;
    if (key === "ArrowLeft" || key === "ArrowRight") return toNeighbour(key === "ArrowRight");
    return false;
  }

  function help() {
    if (!dialog.open) dialog.showModal();
    return true;
  }

  function remembered() {
    try {
      return localStorage.getItem(CHOICE) !== "off";
    } catch {
      return true;
    }
  }

  document.addEventListener("keydown", (event) => {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
    if (event.shiftKey && event.key.startsWith("Arrow")) return; // selects text
    if (!choice.checked || document.querySelector("dialog[open]")) return;
    if (event.target instanceof Element && pressed(event.key, event.target)) event.preventDefault();
  });

  choice.checked = remembered();
  choice.addEventListener("change", () => {
    try {
      localStorage.setItem(CHOICE, choice.checked ? "on" : "off");
    } catch {
      // It holds for this page, then.
    }
  });
  opener.addEventListener("click", help);
  opener.hidden = false;

  // Where the style sheet cannot say so: of tabs that do not all fit, the one that is open is seen.
  if (!CSS.supports("scroll-initial-target", "nearest")) {
    document.querySelector(".tabs [aria-current]")?.scrollIntoView({ block: "nearest", inline: "nearest" });
  }
})();

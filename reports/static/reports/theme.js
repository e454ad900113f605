"use strict";
// Light, dark, or as the system has it. Of people who are logged in the server knows which, and keeps what they choose;
// browsers of all others keep it themselves. Loaded before anything is drawn, by pages and the admin.
{
  const root = document.documentElement;
  const { theme: chosen, keep } = document.currentScript.dataset;
  const set = (theme) => {
    root.dataset.theme = theme;
    localStorage.setItem("theme", theme);
  };
  const kept = chosen || localStorage.getItem("theme");
  set(["light", "dark"].includes(kept) ? kept : "auto");
  root.dataset.script = "";

  const next = () => {
    // From what the system says to the other, to the first again, and back to the system.
    const [other, same] = matchMedia("(prefers-color-scheme: dark)").matches ? ["light", "dark"] : ["dark", "light"];
    return { auto: other, [other]: same, [same]: "auto" }[root.dataset.theme];
  };
  addEventListener("load", () => {
    for (const button of document.getElementsByClassName("theme-toggle")) {
      button.addEventListener("click", () => {
        set(next());
        const token = document.querySelector("[name=csrfmiddlewaretoken]")?.value;
        if (!keep || !token) return;
        const body = new URLSearchParams({ theme: root.dataset.theme, csrfmiddlewaretoken: token });
        // Not told of: it is set in this browser already, and the next click tries again.
        fetch(keep, { method: "POST", body, keepalive: true }).catch(() => {});
      });
    }
  });
}

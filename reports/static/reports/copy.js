"use strict";
// Shows buttons that copy: the address of a link, whose place they take unless it stays, or a text. Says what came of it.
(() => {
  for (const button of document.querySelectorAll("button[data-copy]")) {
    const source = document.getElementById(button.dataset.copy);
    const said = document.getElementById(button.dataset.said);
    button.hidden = false;
    source.hidden = !("stays" in button.dataset);
    button.addEventListener("click", async () => {
      said.textContent = "";
      try {
        await navigator.clipboard.writeText(source.href ?? source.textContent);
        said.textContent = button.dataset.copied;
      } catch {
        // Browsers refuse, for one, where a page came unencrypted. It can be copied by hand.
        source.hidden = false;
        said.textContent = button.dataset.refused;
      }
    });
  }
})();

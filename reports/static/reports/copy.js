"use strict";
// Puts a button that copies the address in the place of a link to exactly what is shown, and says what came of it.
(() => {
  for (const button of document.querySelectorAll("button[data-copy]")) {
    const link = document.getElementById(button.dataset.copy);
    const said = document.getElementById(button.dataset.said);
    button.hidden = false;
    link.hidden = true;
    button.addEventListener("click", async () => {
      said.textContent = "";
      try {
        await navigator.clipboard.writeText(link.href);
        said.textContent = button.dataset.copied;
      } catch {
        // Browsers refuse, for one, where a page came unencrypted. The link can be copied by hand.
        link.hidden = false;
        said.textContent = button.dataset.refused;
      }
    });
  }
})();

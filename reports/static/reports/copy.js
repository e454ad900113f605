"use strict";
// Shows buttons that copy: the address of a link, whose place they take unless it stays, or a text. Says what came of it.
(() => {
  function prepare(button) {
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

  const prepareAll = (part) => part.querySelectorAll("button[data-copy]").forEach(prepare);
  prepareAll(document);
  document.addEventListener("part-shown", ({ target }) => prepareAll(target));
})();

"use strict";
// Ranks what a model knows for one person, from what they mark, in their own browser. It stands in its page as it is
// here, with the model beside it: the page's policy lets it ask for nothing and send nothing.
globalThis.recommending = (() => {
  const { sqrt, min } = Math;

  function floats(base64) {
    return new Float32Array(Uint8Array.from(atob(base64), (each) => each.charCodeAt(0)).buffer);
  }

  // Rows of items are v₀, by which everybody likes an item, and v.
  function modelOf(given) {
    const rows = floats(given.items);
    const rowOf = (item) => rows.subarray(item * given.width, (item + 1) * given.width);
    return { ...given, rowOf, gramian: given.implicit ? floats(given.gramian) : null };
  }

  // Solves a symmetric, positive definite system in place: `matrix` by rows, then by its Cholesky factor.
  function solveDefinite(matrix, right, d) {
    for (let i = 0; i < d; i++) {
      for (let j = 0; j <= i; j++) {
        let sum = matrix[i * d + j];
        for (let k = 0; k < j; k++) sum -= matrix[i * d + k] * matrix[j * d + k];
        matrix[i * d + j] = i === j ? sqrt(sum) : sum / matrix[j * d + j];
      }
    }
    for (let i = 0; i < d; i++) {
      for (let k = 0; k < i; k++) right[i] -= matrix[i * d + k] * right[k];
      right[i] /= matrix[i * d + i];
    }
    for (let i = d - 1; i >= 0; i--) {
      for (let k = i + 1; k < d; k++) right[i] -= matrix[k * d + i] * right[k];
      right[i] /= matrix[i * d + i];
    }
    return right;
  }

  // The person's own bias and vector: ridge regression of their marks on the published rows. In a model of choices
  // there is no bias, and every item counts a little as not chosen.
  function localParameters(model, marks) {
    const first = model.implicit ? 1 : 0;
    const d = model.width - first;
    const matrix = new Float64Array(d * d);
    const right = new Float64Array(d);
    for (let i = 0; i < d; i++) {
      matrix[i * d + i] = model.ridge[first + i];
      if (!model.implicit) continue;
      const gramian = (j) => model.implicit * model.gramian[(i + 1) * model.width + j];
      right[i] -= model.constant * gramian(0);
      for (let j = 0; j < d; j++) matrix[i * d + j] += gramian(j + 1);
    }
    for (const [item, rating] of marks) {
      const row = model.rowOf(item);
      const own = (i) => (first + i === 0 ? 1 : row[first + i]);
      const wanted = rating - model.middle - model.constant * row[0];
      for (let i = 0; i < d; i++) {
        right[i] += wanted * own(i);
        for (let j = 0; j < d; j++) matrix[i * d + j] += own(i) * own(j);
      }
    }
    const solved = solveDefinite(matrix, right, d);
    return { bias: first ? 0 : solved[0], vector: solved.subarray(1 - first) };
  }

  function scores(model, { bias, vector }) {
    return model.names.map((_name, item) => {
      const row = model.rowOf(item);
      let sum = model.middle + bias + model.constant * row[0];
      for (let i = 0; i < vector.length; i++) sum += vector[i] * row[i + 1];
      return sum;
    });
  }

  // The items that are not marked, the best first; equal ones in the order of the model.
  function ranked(model, marks) {
    const found = scores(model, localParameters(model, marks));
    const items = model.names.map((_name, item) => item).filter((item) => !marks.has(item));
    return items.sort((one, other) => found[other] - found[one]).map((item) => ({ item, score: found[item] }));
  }

  // --- The page ---

  // The titles to mark stand above the ranking on a narrow screen.
  const MOST_OFFERED = globalThis.matchMedia?.("(max-width: 52rem)").matches ? 8 : 20;
  const MOST_RANKED = 20;
  const byId = (id) => document.getElementById(id);

  function show() {
    const model = modelOf(JSON.parse(byId("model").textContent));
    const texts = JSON.parse(byId("texts").textContent);
    const marks = new Map();
    const [lowest, highest] = model.range;
    const choices = [[highest, texts.like], ...(model.implicit ? [] : [[lowest, texts.dislike]])];
    // Searched through with every letter.
    const searched = model.names.map((name) => name.toLocaleLowerCase());
    const whole = new Intl.NumberFormat(document.documentElement.dataset.numbers || document.documentElement.lang);
    const written = new Intl.NumberFormat(document.documentElement.dataset.numbers || document.documentElement.lang, { maximumFractionDigits: 1, minimumFractionDigits: 1 });
    const filled = (text, values) => text.replace(/\{(\w+)\}/g, (_all, name) => values[name]);

    function button(item, rating, label) {
      const made = document.createElement("button");
      made.type = "button";
      made.className = "small";
      made.textContent = label;
      made.setAttribute("aria-pressed", String(marks.get(item) === rating));
      made.setAttribute("aria-label", `${label}: ${model.names[item]}`);
      made.addEventListener("click", () => {
        if (marks.get(item) === rating) marks.delete(item);
        else marks.set(item, rating);
        for (const other of made.parentNode.querySelectorAll("button")) other.setAttribute("aria-pressed", "false");
        made.setAttribute("aria-pressed", String(marks.get(item) === rating));
        rank();
      });
      return made;
    }

    function line(text, ...more) {
      const made = document.createElement("li");
      const name = document.createElement("span");
      name.className = "film";
      name.dir = "auto";
      name.textContent = text;
      made.append(name, ...more);
      return made;
    }

    function offer() {
      const wanted = byId("search").value.trim().toLocaleLowerCase();
      const all = wanted ? model.offered.filter((item) => searched[item].includes(wanted)) : model.offered;
      const marked = wanted ? [] : [...marks.keys()];
      const shown = [...marked, ...all.filter((item) => !marked.includes(item))].slice(0, Math.max(MOST_OFFERED, marked.length));
      byId("films").replaceChildren(
        ...shown.map((item) => line(model.names[item], ...choices.map(([rating, label]) => button(item, rating, label)))),
      );
      byId("films-none").hidden = shown.length > 0;
      const few = all.length > shown.length;
      byId("found").textContent = few ? filled(texts.found, { shown: whole.format(shown.length), all: whole.format(all.length) }) : "";
    }

    function rank() {
      byId("forget").hidden = marks.size === 0;
      byId("hint").hidden = marks.size > 0;
      if (!marks.size) {
        byId("summary").textContent = "";
        byId("ranked").replaceChildren();
        return;
      }
      const began = performance.now();
      const found = ranked(model, marks).slice(0, MOST_RANKED);
      const took = performance.now() - began;
      byId("ranked").replaceChildren(
        ...found.map(({ item, score }) => {
          const value = document.createElement("span");
          value.className = "score";
          value.textContent = written.format(min(highest, Math.max(lowest, score)));
          return line(model.names[item], value);
        }),
      );
      const numbers = { marked: whole.format(marks.size), all: whole.format(model.names.length), took: written.format(took) };
      byId("summary").textContent = filled(texts.ranked, numbers);
    }

    // Requests since the page came, as the browser counts them; those that the policy refused were never sent.
    let refused = 0;
    function count() {
      const sent = performance.getEntriesByType("resource").filter((each) => each.responseEnd > 0 && each.transferSize > 0);
      byId("sent").textContent = String(sent.length);
      byId("refused").textContent = String(refused);
    }

    document.addEventListener("securitypolicyviolation", (event) => {
      refused++;
      byId("tried").textContent = filled(texts.refused, { directive: event.effectiveDirective });
      count();
    });
    byId("try").addEventListener("click", () => {
      fetch(`/?marks=${[...marks.keys()].join()}`).then(
        () => (byId("tried").textContent = texts.sent),
        () => count(),
      );
    });
    byId("search").addEventListener("input", offer);
    // Arrows go from the search to what it found, and among that: from title to title, and between its buttons.
    byId("live").addEventListener("keydown", (event) => {
      const column = { ArrowLeft: -1, ArrowRight: 1 }[event.key] ?? 0;
      const row = { ArrowUp: -1, ArrowDown: 1 }[event.key] ?? 0;
      const rows = [...byId("films").children].map((line) => [...line.querySelectorAll("button")]);
      if (event.target === byId("search")) {
        if (row !== 1 || !rows.length) return;
        rows[0][0].focus();
      } else {
        const from = rows.findIndex((buttons) => buttons.includes(event.target));
        if (from < 0 || !(row || column)) return;
        const to = rows[from + row]?.[rows[from].indexOf(event.target) + column];
        (to ?? (row < 0 && from === 0 ? byId("search") : event.target)).focus();
      }
      event.preventDefault();
    });
    byId("forget").addEventListener("click", () => {
      marks.clear();
      offer();
      rank();
      byId("search").focus();
    });
    new PerformanceObserver(count).observe({ type: "resource", buffered: true });
    byId("live").hidden = false;
    offer();
    rank();
    count();
  }

  if (globalThis.document?.getElementById("model")) show();
  return { modelOf, localParameters, scores, ranked };
})();

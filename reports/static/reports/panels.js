"use strict";
// Panels of a trend are read together: the day at which a pointer or the control below stands is marked in all of them,
// each with its share on that day.
(() => {
  const suffixOf = (panel) => (panel === 0 ? "" : String(panel + 1));
  // Some points stand beside their day.
  const dayOf = (place) => String(place).slice(0, 10);

  // For each panel its days: a share, or the most that it can be; of other days there is nothing.
  function read(figure) {
    const panels = Array.from({ length: figure.layout.meta.panels }, () => new Map());
    const windows = new Map();
    for (const trace of figure.data) {
      const isLine = trace.customdata !== undefined;
      const isBound = trace.marker?.symbol === "triangle-down-open";
      if (!isLine && !isBound) continue;
      trace.x.forEach((place, at) => {
        const day = dayOf(place);
        if (trace.text[at]) windows.set(day, trace.text[at]);
        if (trace.y[at] !== null) panels[trace.meta.row].set(day, { y: trace.y[at], bound: isBound });
      });
    }
    const days = [...windows.keys()].filter((day) => panels.some((panel) => panel.has(day))).sort();
    return { panels, windows, days };
  }

  function written(found, separators) {
    if (!found) return "–";
    const share = `${found.y.toFixed(2).replace(".", separators[0])}\u00a0%`;
    return found.bound ? `≤\u00a0${share}` : share;
  }

  // Where a panel and a point in it are drawn, in pixels of the chart.
  function placed(holder, panel, day, found) {
    const { layout } = holder;
    const { l, r, t, b } = layout.margin;
    const [x, y] = ["x", "y"].map((axis) => layout[`${axis}axis${suffixOf(panel)}`]);
    // The layout has no height any more once it was made to fit another width.
    const drawing = holder.querySelector(".main-svg");
    const across = drawing.clientWidth - l - r;
    const down = drawing.clientHeight - t - b;
    const [first, last] = x.range.map((place) => Date.parse(place));
    // Days without a time are of UTC to the browser, as times without a zone are not.
    const along = (Date.parse(`${day}T00:00:00`) - first) / (last - first);
    const [lowest, highest] = y.range;
    const top = t + (1 - y.domain[1]) * down;
    const height = (y.domain[1] - y.domain[0]) * down;
    return {
      left: l + (x.domain[0] + along * (x.domain[1] - x.domain[0])) * across,
      right: l + x.domain[1] * across,
      top,
      height,
      dot: found && top + height * (1 - (found.y - lowest) / (highest - lowest)),
    };
  }

  function part(name, style, text = "") {
    const made = document.createElement("div");
    made.className = name;
    made.textContent = text;
    for (const [key, value] of Object.entries(style)) made.style[key] = `${value}px`;
    return made;
  }

  function connect(holder) {
    const { panels, windows, days } = read(holder);
    const { separators } = holder.layout;
    const side = holder.closest(".chart-side");
    const control = side.querySelector(".reader");
    const marks = part("reading", {});
    marks.setAttribute("aria-hidden", "true");
    side.append(marks);

    // Marks a day; in the panel that the pointer is in, the chart itself says more.
    function mark(day, pointed) {
      marks.replaceChildren();
      panels.forEach((panel, place) => {
        const found = panel.get(day);
        const { left, right, top, height, dot } = placed(holder, place, day, found);
        const at = { left: left + holder.offsetLeft, top: top + holder.offsetTop };
        marks.append(part("line", { ...at, height }));
        if (dot !== undefined) marks.append(part(`dot series-${place + 1}`, { ...at, top: dot + holder.offsetTop }));
        if (place === pointed) return;
        const value = part("value", { ...at, top: (dot ?? top + height / 2) + holder.offsetTop }, written(found, separators));
        value.classList.toggle("before", right - left < 70);
        marks.append(value);
      });
    }

    holder.on("plotly_hover", ({ points }) => mark(dayOf(points[0].x), points[0].data.meta.row));
    holder.on("plotly_unhover", () => marks.replaceChildren());
    if (!control || days.length < 2) return;
    const [range, said] = [control.querySelector("input"), control.querySelector("output")];
    // Names are markup to what draws them.
    const named = (trace) => new DOMParser().parseFromString(trace.name, "text/html").body.textContent;
    const names = new Map(holder.data.filter((trace) => trace.customdata).map((trace) => [trace.meta.row, named(trace)]));
    function choose() {
      const day = days[range.value];
      mark(day);
      said.textContent = windows.get(day);
      const shares = panels.map((panel, place) => `${names.get(place)} ${written(panel.get(day), separators)}`);
      range.setAttribute("aria-valuetext", [windows.get(day), ...shares].join("; "));
    }
    range.max = days.length - 1;
    range.value = range.max;
    for (const event of ["input", "focus"]) range.addEventListener(event, choose);
    range.addEventListener("blur", () => marks.replaceChildren());
    control.hidden = false;
  }

  document.addEventListener("chart-drawn", ({ target: holder }) => {
    holder.parentElement.querySelector(".reading")?.replaceChildren();
    if (!holder.layout.meta?.panels || "read" in holder.dataset) return;
    holder.dataset.read = "";
    connect(holder);
  });
})();

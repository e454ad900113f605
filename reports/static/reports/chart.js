"use strict";
// Draws the figures that the server has shaped, in the colours of the style sheet and to the width of the page. A trace
// says by its role what it is, a shape or annotation by its name; the style sheet knows the colours of these.
(() => {
  const NAMES_FROM_WIDTH = 520;
  const TICK_WIDTH = 110;
  const NOTHING = "rgba(0,0,0,0)";

  // Resolved by the browser, because a custom property may itself be a function of the colour scheme.
  function colour(holder, name) {
    const probe = document.createElement("span");
    probe.style.color = `var(--${name})`;
    holder.append(probe);
    const found = getComputedStyle(probe).color;
    probe.remove();
    return found;
  }

  // On bars of its own colour half of an interval would not be seen; that of a point has to tell whose it is.
  const PLAIN = ["bar", "accent", "up", "down", "new"];

  function dressTrace(trace, colours) {
    const role = trace.meta?.role ?? "bar";
    const own = colours(role);
    if (role.startsWith("band-")) {
      trace.fillcolor = own;
      trace.line = { ...trace.line, color: NOTHING, width: 0 };
      return;
    }
    trace.marker = { ...trace.marker, color: own };
    // A change that may be chance is an outline, and stands back behind clear ones.
    if (role === "uncertain") trace.marker = { ...trace.marker, color: colours("sunken"), line: { color: own, width: 1 } };
    if (trace.type !== "bar") trace.line = { ...trace.line, color: own };
    const error = PLAIN.includes(role) ? colours("ink") : own;
    for (const bars of [trace.error_x, trace.error_y]) if (bars) bars.color = error;
  }

  // Places of a chart where something is said, by their names.
  const PLACES = {
    threshold: "threshold",
    annotation: "annotation",
    version: "accent",
    below: "below",
    partial: "partial",
    zero: "ink",
  };

  function dressShape(shape, colours) {
    const own = colours(PLACES[shape.name] ?? "quiet");
    if (shape.type !== "rect") {
      shape.line = { ...shape.line, color: own };
      return;
    }
    shape.fillcolor = own;
    shape.line = { ...shape.line, color: NOTHING, width: 0 };
  }

  // Lets a click lead to where the row of the table leads, too: for the keyboard there are the links of the table.
  function lead(holder, links) {
    const linkOf = ({ points }) => links[points[0].data.meta?.row ?? Math.round(points[0].y)];
    holder.on("plotly_hover", (event) => holder.toggleAttribute("data-leads", Boolean(linkOf(event))));
    holder.on("plotly_unhover", () => holder.removeAttribute("data-leads"));
    holder.on("plotly_click", (click) => {
      const link = linkOf(click);
      if (!link) return;
      if (click.event.ctrlKey || click.event.metaKey) window.open(link, "_blank", "noopener");
      else location.assign(link);
    });
  }

  // As many ticks as have room for their words.
  const ticksOf = (width) => Math.min(Math.max(Math.floor(width / TICK_WIDTH), 4), 12);

  function dressLayout(layout, colours, wide, ticks) {
    layout.font = { ...layout.font, color: colours("ink") };
    layout.hoverlabel = { bgcolor: colours("surface"), bordercolor: colours("line"), font: { color: colours("ink") } };
    layout.modebar = { color: colours("quiet"), activecolor: colours("ink"), bgcolor: NOTHING };
    for (const name of Object.keys(layout).filter((key) => /^[xy]axis\d*$/.test(key))) {
      Object.assign(layout[name], { gridcolor: colours("line"), linecolor: colours("line") });
      layout[name].zerolinecolor = colours("line");
      if (name.startsWith("x") && !layout.meta?.panels) layout[name].nticks = ticks;
    }
    for (const shape of layout.shapes ?? []) dressShape(shape, colours);
    if (layout.meta?.ends !== undefined) {
      const { ends, right } = layout.meta;
      layout.showlegend = !wide && ends > 1;
      layout.meta.alone ??= layout.margin.r;
      layout.margin = { ...layout.margin, r: wide ? right : layout.meta.alone };
      for (const note of ends ? layout.annotations.slice(-ends) : []) note.visible = wide;
    }
    for (const note of layout.annotations ?? []) {
      const own = colours(PLACES[note.name] ?? (note.name?.startsWith("series-") ? "ink" : "quiet"));
      note.font = { ...note.font, color: own };
      if (note.borderwidth) Object.assign(note, { bgcolor: colours("surface"), bordercolor: own });
    }
    if (layout.meta?.named) {
      // On a narrow screen the bars need the room.
      layout.meta.short ??= layout.yaxis.ticktext;
      layout.yaxis.ticktext = wide ? layout.meta.named : layout.meta.short;
      layout.yaxis.tickfont = { size: wide ? 13 : layout.meta.pictures ? 17 : 12 };
    }
  }

  // In its table a chart has the heights of that, whose heads and rows name its axes.
  function align(layout, aligned) {
    layout.meta.alone ??= { height: layout.height, margin: layout.margin, showlegend: layout.showlegend };
    Object.assign(layout, aligned ? layout.meta.aligned : layout.meta.alone);
    layout.xaxis.side = aligned ? "top" : "bottom";
    layout.yaxis.showticklabels = !aligned;
  }

  const PANEL_WIDTH = 300;
  // Between panels: room for the shares beside them, and for a title and the days above and below.
  const GAP = { x: 56, y: 52 };

  function columnsOf(panels, width) {
    const rows = Math.ceil(panels / Math.max(1, Math.floor(width / PANEL_WIDTH)));
    return Math.ceil(panels / rows);
  }

  // Panels in as many columns as there is room for, in rows that are as full as can be.
  function arrange(layout, width) {
    const { panels, height } = layout.meta;
    const columns = columnsOf(panels, width);
    const rows = Math.ceil(panels / columns);
    const { l, r, t, b } = layout.margin;
    const across = width - l - r;
    // Alone in its row a panel may be higher.
    layout.height = rows === 1 ? height * 2 : rows * height + t;
    const down = layout.height - t - b;
    const wide = (across - (columns - 1) * GAP.x) / columns;
    const high = (down - (rows - 1) * GAP.y) / rows;
    for (let place = 0; place < panels; place++) {
      const suffix = place ? place + 1 : "";
      const left = (place % columns) * (wide + GAP.x);
      const top = Math.floor(place / columns) * (high + GAP.y);
      layout[`xaxis${suffix}`].domain = [left / across, Math.min((left + wide) / across, 1)];
      layout[`yaxis${suffix}`].domain = [Math.max(1 - (top + high) / down, 0), 1 - top / down];
    }
  }

  // Joined with a table, whose rows have the names, the bars get the room.
  function dress(figure, colours, width, { aligned = false, joined = false } = {}) {
    const wide = width >= NAMES_FROM_WIDTH && !joined;
    if (figure.layout.meta?.panels) arrange(figure.layout, width);
    for (const trace of figure.data) dressTrace(trace, colours);
    if (figure.layout.meta?.aligned) align(figure.layout, aligned);
    dressLayout(figure.layout, colours, wide, ticksOf(width));
  }

  // Plotly knows English months and days; the browser knows those of the page's language.
  function language() {
    const name = document.documentElement.lang || "en";
    if (name.startsWith("en")) return "en-US";
    const names = (count, day, options) =>
      Array.from({ length: count }, (_, place) =>
        new Intl.DateTimeFormat(name, { timeZone: "UTC", ...options }).format(day(place)),
      );
    const month = (place) => Date.UTC(2024, place, 1);
    const weekday = (place) => Date.UTC(2024, 8, 1 + place);
    const format = {
      months: names(12, month, { month: "long" }),
      shortMonths: names(12, month, { month: "short" }),
      days: names(7, weekday, { weekday: "long" }),
      shortDays: names(7, weekday, { weekday: "short" }),
      dayMonth: "%-d %b",
      dayMonthYear: "%-d %b %Y",
      yearMonth: "%b %Y",
    };
    Plotly.register({ moduleType: "locale", name, dictionary: {}, format });
    return name;
  }

  const config = { responsive: true, displayModeBar: false, locale: language() };

  // Paper has another width than the screen: there the style sheet scales the drawing, which it can by its view box.
  function setViewBox(holder) {
    for (const drawing of holder.querySelectorAll(".main-svg")) {
      drawing.setAttribute("viewBox", `0 0 ${drawing.getAttribute("width")} ${drawing.getAttribute("height")}`);
    }
  }

  function show(holder) {
    const figure = JSON.parse(document.getElementById(holder.dataset.figure).textContent);
    const links = holder.dataset.links && JSON.parse(document.getElementById(holder.dataset.links).textContent);
    let drawn;
    const isAligned = () => getComputedStyle(holder).getPropertyValue("--aligned") === "1";
    const joined = holder.closest(".joined") !== null;
    // A key of all that decides how it is drawn.
    const form = () => {
      const width = holder.clientWidth;
      const { panels } = figure.layout.meta ?? {};
      return [panels ? columnsOf(panels, width) : width >= NAMES_FROM_WIDTH, ticksOf(width), isAligned()].join();
    };

    async function draw() {
      // Where the table has bars of its own, the chart is not seen.
      if (holder.clientWidth === 0) return;
      drawn = form();
      dress(figure, (name) => colour(holder, name), holder.clientWidth, { aligned: isAligned(), joined });
      const first = !("drawn" in holder.dataset);
      await Plotly.react(holder, figure.data, figure.layout, config);
      if (first) {
        holder.on("plotly_afterplot", () => setViewBox(holder));
        // Not where a touch is how one reads a bar.
        if (links && matchMedia("(hover: hover)").matches) lead(holder, links);
      }
      setViewBox(holder);
      holder.dataset.drawn = "";
      holder.dispatchEvent(new CustomEvent("chart-drawn", { bubbles: true }));
    }

    draw();
    for (const media of ["(prefers-color-scheme: dark)", "print"]) matchMedia(media).addEventListener("change", draw);
    new MutationObserver(draw).observe(document.documentElement, { attributeFilter: ["data-theme"] });
    new ResizeObserver(() => {
      if (form() !== drawn) draw();
    }).observe(holder);
  }

  // For those who save a picture of a figure: in the same way, but not in the colours of the page.
  window.ldpsiteCharts = { dress, colour, config };
  // The first is shown before the next is drawn.
  const [first, ...others] = document.querySelectorAll(".chart[data-figure]");
  if (first) show(first);
  if (others.length > 0) requestAnimationFrame(() => setTimeout(() => others.forEach(show)));
})();

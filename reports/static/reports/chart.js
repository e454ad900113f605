"use strict";
// Draws the figures that the server has shaped, in the colours of the style sheet and to the width of the page. A trace
// says by its role what it is, a shape or annotation by its name; the style sheet knows the colours of these.
(() => {
  const NAMES_FROM_WIDTH = 520;
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

  // Of one series alone; the intervals of several have to tell whose they are.
  const PLAIN = ["bar", "accent"];

  function dressTrace(trace, colours) {
    const role = trace.meta?.role ?? "bar";
    const own = colours(role);
    if (role.startsWith("band-")) {
      trace.fillcolor = own;
      trace.line = { ...trace.line, color: NOTHING, width: 0 };
      return;
    }
    trace.marker = { ...trace.marker, color: own };
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
    const linkOf = ({ points }) => links[Math.round(points[0].y)];
    holder.on("plotly_hover", (event) => holder.toggleAttribute("data-leads", Boolean(linkOf(event))));
    holder.on("plotly_unhover", () => holder.removeAttribute("data-leads"));
    holder.on("plotly_click", (click) => {
      const link = linkOf(click);
      if (!link) return;
      if (click.event.ctrlKey || click.event.metaKey) window.open(link, "_blank", "noopener");
      else location.assign(link);
    });
  }

  function dressLayout(layout, colours, wide) {
    layout.font = { ...layout.font, color: colours("ink") };
    layout.hoverlabel = { bgcolor: colours("surface"), bordercolor: colours("line"), font: { color: colours("ink") } };
    layout.modebar = { color: colours("quiet"), activecolor: colours("ink"), bgcolor: NOTHING };
    for (const name of Object.keys(layout).filter((key) => /^[xy]axis\d*$/.test(key))) {
      Object.assign(layout[name], { gridcolor: colours("line"), linecolor: colours("line") });
      layout[name].zerolinecolor = colours("line");
      if (name.startsWith("x")) layout[name].nticks = wide ? 7 : 4;
    }
    for (const shape of layout.shapes ?? []) dressShape(shape, colours);
    for (const note of layout.annotations ?? []) {
      const own = colours(PLACES[note.name] ?? "quiet");
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

  function dress(figure, colours, wide, aligned = false) {
    for (const trace of figure.data) dressTrace(trace, colours);
    if (figure.layout.meta?.aligned) align(figure.layout, aligned);
    dressLayout(figure.layout, colours, wide);
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
    let wide;
    const isAligned = () => getComputedStyle(holder).getPropertyValue("--aligned") === "1";
    let aligned;

    async function draw() {
      wide = holder.clientWidth >= NAMES_FROM_WIDTH;
      aligned = isAligned();
      dress(figure, (name) => colour(holder, name), wide, aligned);
      const first = !("drawn" in holder.dataset);
      await Plotly.react(holder, figure.data, figure.layout, config);
      if (first) {
        holder.on("plotly_afterplot", () => setViewBox(holder));
        // Not where a touch is how one reads a bar.
        if (links && matchMedia("(hover: hover)").matches) lead(holder, links);
      }
      setViewBox(holder);
      holder.dataset.drawn = "";
    }

    draw();
    for (const media of ["(prefers-color-scheme: dark)", "print"]) matchMedia(media).addEventListener("change", draw);
    new MutationObserver(draw).observe(document.documentElement, { attributeFilter: ["data-theme"] });
    new ResizeObserver(() => {
      if (holder.clientWidth >= NAMES_FROM_WIDTH !== wide || isAligned() !== aligned) draw();
    }).observe(holder);
  }

  // For those who save a picture of a figure: in the same way, but not in the colours of the page.
  window.ldpsiteCharts = { dress, colour, config };
  // The first is shown before the next is drawn.
  const [first, ...others] = document.querySelectorAll(".chart[data-figure]");
  if (first) show(first);
  if (others.length > 0) requestAnimationFrame(() => setTimeout(() => others.forEach(show)));
})();

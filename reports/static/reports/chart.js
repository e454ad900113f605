"use strict";
// Draws the figure that the server has shaped, in the colours of the style sheet and to the width of the page.
(() => {
  const holder = document.getElementById("chart");
  const figure = JSON.parse(document.getElementById("chart-figure").textContent);
  const shortLabels = figure.layout.yaxis.ticktext;
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const NAMES_FROM_WIDTH = 520;

  // Resolved by the browser, because a custom property may itself be a function of the colour scheme.
  function colour(name) {
    const probe = document.createElement("span");
    probe.style.color = `var(--${name})`;
    holder.append(probe);
    const found = getComputedStyle(probe).color;
    probe.remove();
    return found;
  }

  function dress() {
    const [bar] = figure.data;
    const layout = figure.layout;
    bar.marker = { color: colour("bar") };
    bar.error_x.color = colour("ink");
    layout.font = { color: colour("ink") };
    layout.hoverlabel = { bgcolor: colour("surface"), bordercolor: colour("line"), font: { color: colour("ink") } };
    Object.assign(layout.xaxis, { gridcolor: colour("line"), linecolor: colour("line") });
    for (const shape of layout.shapes) shape.line.color = colour("threshold");
    layout.annotations[0].font.color = colour("threshold");
    layout.modebar = { color: colour("quiet"), activecolor: colour("ink"), bgcolor: "rgba(0,0,0,0)" };
    const named = holder.clientWidth >= NAMES_FROM_WIDTH;
    layout.yaxis.ticktext = named ? layout.meta.named : shortLabels;
    layout.yaxis.tickfont = { size: named ? 13 : layout.meta.pictures ? 17 : 12 };
    layout.xaxis.nticks = named ? 7 : 4;
  }

  const config = {
    responsive: true,
    displaylogo: false,
    modeBarButtons: [["toImage"]],
    toImageButtonOptions: { filename: holder.dataset.name, scale: 2 },
  };

  async function draw() {
    dress();
    await Plotly.react(holder, figure.data, figure.layout, config);
    holder.querySelector(".modebar-btn")?.setAttribute("data-title", holder.dataset.save);
    holder.dataset.drawn = "";
  }

  draw();
  dark.addEventListener("change", draw);
  new MutationObserver(draw).observe(document.documentElement, { attributeFilter: ["data-theme"] });
  let wide = holder.clientWidth >= NAMES_FROM_WIDTH;
  new ResizeObserver(() => {
    const now = holder.clientWidth >= NAMES_FROM_WIDTH;
    if (now !== wide) {
      wide = now;
      draw();
    }
  }).observe(holder);
})();

"use strict";
// Saves a chart as a picture that can stand in a report: in light colours, with its title, a caption in words and where
// its numbers come from drawn in it. The texts are attributes of the chart; nothing leaves the page.
(() => {
  const { dress, config } = window.ldpsiteCharts;
  const WIDTH = 1000;
  const MARGIN = 40;
  const TITLE = { size: 22, line: 30 };
  const CAPTION = { size: 14, line: 20 };
  const ORIGIN = { size: 11, line: 16 };
  const FONT = '"Noto Sans", system-ui, sans-serif';
  const SVG = "http://www.w3.org/2000/svg";

  // The colours of the style sheet in light mode, whatever the page is in.
  function lightColours() {
    const probe = document.createElement("span");
    probe.style.colorScheme = "light";
    document.body.append(probe);
    return {
      of: (name) => {
        probe.style.color = `var(--${name})`;
        return getComputedStyle(probe).color;
      },
      done: () => probe.remove(),
    };
  }

  const ruler = document.createElement("canvas").getContext("2d");

  // A text as lines that fit; what has no spaces, such as an address, is cut where it must be.
  function lines(text, size, width) {
    ruler.font = `${size}px ${FONT}`;
    const found = [];
    let line = "";
    const fits = (attempt) => ruler.measureText(attempt).width <= width;
    for (const word of text.split(/\s+/).filter(Boolean)) {
      const longer = line ? `${line} ${word}` : word;
      if (fits(longer)) {
        line = longer;
        continue;
      }
      if (line) found.push(line);
      line = "";
      for (const character of word) {
        if (line && !fits(line + character)) {
          found.push(line);
          line = "";
        }
        line += character;
      }
    }
    return line ? [...found, line] : found;
  }

  function element(name, attributes, text) {
    const made = document.createElementNS(SVG, name);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    if (text !== undefined) made.textContent = text;
    return made;
  }

  // The figure alone, as Plotly draws it, from a copy that is in light colours and wide.
  async function drawn(holder) {
    const figure = JSON.parse(document.getElementById(holder.dataset.figure).textContent);
    const colours = lightColours();
    dress(figure, colours.of, WIDTH - 2 * MARGIN);
    colours.done();
    const height = figure.layout.height;
    const layout = { ...figure.layout, width: WIDTH - 2 * MARGIN };
    const address = await Plotly.toImage(
      { data: figure.data, layout, config },
      { format: "svg", width: WIDTH - 2 * MARGIN, height },
    );
    const text = decodeURIComponent(address.slice(address.indexOf(",") + 1));
    return new DOMParser().parseFromString(text, "image/svg+xml").documentElement;
  }

  // Title, figure, what its numbers are about, caption, and where the numbers come from, one below the other.
  async function picture(holder) {
    const { title, caption, legend, origin, address } = holder.dataset;
    const notes = legend.split("\n").filter(Boolean);
    const figure = await drawn(holder);
    const colours = lightColours();
    const ink = colours.of("ink");
    const quiet = colours.of("quiet");
    const surface = colours.of("surface");
    colours.done();
    const whole = element("svg", { xmlns: SVG, width: WIDTH, role: "img", "font-family": FONT });
    // In the language and direction of the page: words may run from right to left.
    const { lang, dir } = document.documentElement;
    whole.setAttribute("lang", lang);
    const toLeft = dir === "rtl";
    whole.append(element("title", {}, title), element("desc", {}, [...notes, caption, origin, address].join("\n")));
    const ground = element("rect", { width: WIDTH, fill: surface });
    whole.append(ground);
    let y = MARGIN;

    function write(text, { size, line }, fill, weight = 400) {
      for (const each of lines(text, size, WIDTH - 2 * MARGIN)) {
        const place = { x: toLeft ? WIDTH - MARGIN : MARGIN, y: y + size, direction: toLeft ? "rtl" : "ltr" };
        whole.append(element("text", { ...place, "font-size": size, "font-weight": weight, fill }, each));
        y += line;
      }
    }

    write(title, TITLE, ink, 650);
    y += 12;
    figure.setAttribute("x", MARGIN);
    figure.setAttribute("y", y);
    whole.append(figure);
    y += Number(figure.getAttribute("height")) + 16;
    for (const note of notes) write(note, CAPTION, ink);
    if (notes.length > 0) y += 8;
    write(caption, CAPTION, ink);
    y += 12;
    write(origin, ORIGIN, quiet);
    write(address, ORIGIN, quiet);
    y += MARGIN - 8;
    whole.setAttribute("height", y);
    whole.setAttribute("viewBox", `0 0 ${WIDTH} ${y}`);
    ground.setAttribute("height", y);
    return { source: new XMLSerializer().serializeToString(whole), height: y };
  }

  // Twice as many points as the drawing has, for print and for sharp screens.
  async function painted({ source, height }) {
    const image = new Image(WIDTH, height);
    image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(source)}`;
    await image.decode();
    const canvas = document.createElement("canvas");
    canvas.width = 2 * WIDTH;
    canvas.height = 2 * height;
    const context = canvas.getContext("2d");
    context.scale(2, 2);
    context.drawImage(image, 0, 0, WIDTH, height);
    return new Promise((resolve) => canvas.toBlob(resolve, "image/png"));
  }

  function hand(blob, name) {
    const link = document.createElement("a");
    link.href = URL.createObjectURL(blob);
    link.download = name;
    link.click();
    // Not at once: the browser has only begun to read it.
    setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
  }

  async function save(button) {
    const holder = document.getElementById(button.dataset.pictureOf);
    const form = button.dataset.form;
    button.disabled = true;
    try {
      const drawing = await picture(holder);
      const blob =
        form === "svg" ? new Blob([drawing.source], { type: "image/svg+xml" }) : await painted(drawing);
      hand(blob, `${holder.dataset.name}.${form}`);
    } finally {
      button.disabled = false;
    }
  }

  function prepare(part) {
    for (const button of part.querySelectorAll("button[data-picture-of]")) {
      button.hidden = false;
      button.addEventListener("click", () => save(button));
    }
  }
  prepare(document);
  document.addEventListener("part-shown", ({ target }) => prepare(target));
})();

// What a reader may do with the page. Everything it shows is in the page already: figures are read from its tables,
// as they were written there, and values from its JSON.
const root = document.documentElement;
root.classList.add("js");
const source = document.getElementById("document");
let parsed;
const whole = () => (parsed ??= JSON.parse(source.textContent));
const LEVELS = 64;

// A table of the JSON with every column in every row.
function full(table) {
  if (Array.isArray(table)) {
    const flat = (value, path) =>
      value && typeof value === "object" && !Array.isArray(value)
        ? Object.entries(value).flatMap(([key, item]) => flat(item, path ? `${path}.${key}` : key))
        : [[path, value]];
    const cells = table.map((each) => Object.fromEntries(flat(each, "")));
    const columns = Object.keys(cells[0] ?? {});
    return { columns, rows: cells.map((each) => columns.map((name) => each[name] ?? null)) };
  }
  const { columns, same, rows } = table;
  if (!Object.keys(same).length) return { columns, rows };
  return {
    columns,
    rows: rows.map((row) => {
      let k = 0;
      return columns.map((name) => (Object.hasOwn(same, name) ? same[name] : row[k++]));
    }),
  };
}

function element(name, text, className) {
  const made = document.createElement(name);
  if (text !== undefined) made.textContent = text;
  if (className) made.className = className;
  return made;
}

function save(name, text, type) {
  const link = element("a");
  link.href = URL.createObjectURL(new Blob([text], { type }));
  link.download = name;
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}

// A spreadsheet would run text that begins so as a formula; a number may.
const guarded = (text) => (/^\s*[=+\-@]/.test(text) && !/^-?[\d,.]+(%?$| \[)/.test(text) ? "'" + text : text);
const quoted = (text) => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
const field = (value) =>
  value === null || value === undefined ? "" : typeof value === "string" ? quoted(guarded(value)) : quoted(typeof value === "object" ? JSON.stringify(value) : String(value));
const csv = (rows) => rows.map((row) => row.map(field).join(",") + "\n").join("");

function button(text, act) {
  const made = element("button", text, "save");
  made.type = "button";
  made.addEventListener("click", act);
  return made;
}

// Tables: those of pairs leave with all digits, the others as they stand.
for (const table of document.querySelectorAll("table[data-file]")) {
  const lens = table.id.endsWith("-pairs") ? table.id.slice(0, -6) : "";
  const rows = () => {
    if (lens) {
      const pairs = full(whole().data.lenses[lens].matrix.pairs);
      return [pairs.columns, ...pairs.rows];
    }
    return [...table.rows].map((row) => [...row.cells].filter((cell) => !cell.classList.contains("picture")).map((cell) => cell.textContent.trim()));
  };
  table.parentElement.after(button("CSV", () => save(table.dataset.file + ".csv", csv(rows()), "text/csv")));
}
for (const block of document.querySelectorAll("details[data-model]")) {
  const list = block.querySelector(".chips");
  if (!list || block.dataset.lens !== "style") continue;
  const tells = () => {
    const data = whole().data.lenses[block.dataset.lens];
    const { columns, rows } = full(data.focus[data.matrix.order[block.dataset.model]].tells);
    return csv([columns, ...rows]);
  };
  list.after(button("Tells as CSV", () => save("tells.csv", tells(), "text/csv")));
}
document.getElementById("downloads")?.append(
  button("The whole as JSON", () => save("report.json", source.textContent, "application/json")),
);

// The evidence of sentences that are folded away is read from the JSON when they are unfolded.
const harmless = (text) => text.replace(/\p{C}/gu, (mark) => `\\u{${mark.codePointAt(0).toString(16)}}`);
function facts(value, path, found) {
  if (value === null || value === undefined) return;
  const list = Array.isArray(value);
  if (typeof value !== "object") found.push([path, String(value)]);
  else if (list && value.every((item) => item === null || typeof item !== "object")) found.push([path, value.join(", ")]);
  else if (!list && Object.keys(value).join() === "columns,same,rows") {
    const { columns, rows } = full(value);
    rows.forEach((row, k) => row.forEach((item, i) => facts(item, `${path} ${k + 1} ${columns[i].replaceAll(".", " ")}`, found)));
  } else for (const [key, item] of Object.entries(value)) facts(item, `${path} ${list ? Number(key) + 1 : key}`.trim(), found);
}
for (const list of document.querySelectorAll("ul[data-folded]")) {
  const unfold = () => {
    const { columns, rows } = full(whole().data.findings[list.dataset.folded]);
    for (const item of list.children) {
      const found = [];
      columns.forEach((name, i) => {
        if (/^evidence(\.|$)/.test(name)) facts(rows[item.dataset.place][i], name.slice(9).replaceAll(".", " "), found);
      });
      if (!found.length) continue;
      const fold = element("details", undefined, "fold small");
      const held = element("dl", undefined, "facts");
      for (const [name, value] of found) {
        const fact = element("div");
        fact.append(element("dt", harmless(name)), element("dd", harmless(value)));
        held.append(fact);
      }
      fold.append(element("summary", "Evidence"), held);
      item.append(fold);
    }
  };
  list.closest("details").addEventListener("toggle", unfold, { once: true });
}

const shell = (text) => "'" + text.replaceAll("'", "'\\''") + "'";

class Heat {
  constructor(figure) {
    this.figure = figure;
    this.lens = figure.dataset.lens;
    this.cell = Number(figure.dataset.cell);
    this.svg = figure.querySelector(".cells");
    this.rows = [...this.svg.querySelectorAll(".row")];
    this.n = this.rows.length;
    this.list = figure.querySelector(".names");
    this.items = [...this.list.children];
    this.names = this.items.map((item) => item.textContent);
    this.order = this.rows.map((_, i) => i);
    this.readout = figure.querySelector(".readout");
    this.panel = figure.querySelector(".pair");
    this.view = figure.querySelector(".view");
    this.readout.textContent = "Point at a cell, or walk through them with the arrow keys, for its figures; click or press Enter for the pair.";
    this.rows.forEach((row, i) => (row.dataset.i = i));
    this.current = this.rects(0)[this.n > 1 ? 1 : 0];
    this.current.setAttribute("tabindex", "0");
    if (this.n <= 120) this.describe();
    this.listen();
  }

  rects(i) {
    return this.rows[i].getElementsByTagName("rect");
  }

  describe() {
    if (this.described) return;
    this.described = true;
    this.svg.setAttribute("role", "grid");
    this.svg.setAttribute("aria-rowcount", this.n);
    this.rows.forEach((row, i) => {
      row.setAttribute("role", "row");
      row.setAttribute("aria-label", this.names[i]);
      for (const rect of row.children) {
        if (rect.tagName === "rect") rect.setAttribute("role", "gridcell");
        else rect.setAttribute("aria-hidden", "true");
      }
    });
    this.svg.querySelector(".breaks")?.setAttribute("aria-hidden", "true");
  }

  // Which pair each cell belongs to, and whether its row is the second of it.
  get index() {
    if (!this.places) {
      const matrix = whole().data.lenses[this.lens].matrix;
      const at = new Map(matrix.order.map((id, i) => [id, i]));
      this.ids = matrix.order;
      this.pairs = full(matrix.pairs);
      const a = this.pairs.columns.indexOf("a");
      const b = this.pairs.columns.indexOf("b");
      this.places = new Int32Array(this.n * this.n).fill(-1);
      this.pairs.rows.forEach((row, k) => {
        const i = at.get(row[a]);
        const j = at.get(row[b]);
        this.places[i * this.n + j] = 2 * k;
        this.places[j * this.n + i] = 2 * k + 1;
      });
    }
    return this.places;
  }

  value(i, j) {
    const place = this.index[i * this.n + j];
    if (place < 0) return null;
    const { there, back, inverted } = this.view.selectedOptions[0].dataset;
    const found = this.pairs.rows[place >> 1][this.pairs.columns.indexOf(place & 1 ? back : there)];
    return found === null || found === undefined ? null : inverted ? 1 - found : found;
  }

  // The figures of a pair as the table of pairs shows them.
  figures(i, j) {
    const place = this.index[i * this.n + j];
    const table = document.getElementById(this.lens + "-pairs");
    if (place < 0 || !table) return null;
    const heads = [...table.tHead.rows[0].cells].map((cell) => cell.textContent).slice(2);
    const cells = [...table.tBodies[0].rows[place >> 1].cells].slice(-heads.length).map((cell) => cell.textContent.trim());
    const [a, b] = place & 1 ? [j, i] : [i, j];
    const named = (head) => head.replace(/\b[AB]\b/g, (side) => this.names[side === "A" ? a : b]);
    return heads.map((head, k) => [named(head), cells[k]]).filter(([, text]) => text);
  }

  at(rect) {
    const i = Number(rect.parentElement.dataset.i);
    return [i, this.order[Math.round(Number(rect.getAttribute("x")) / this.cell)]];
  }

  tell(rect) {
    const [i, j] = this.at(rect);
    this.items.forEach((item, k) => item.classList.toggle("on", k === i || k === j));
    const found = i === j ? [] : this.figures(i, j) ?? [];
    const text = i === j ? `${this.names[i]}, itself` : `Row ${this.names[i]}, column ${this.names[j]}: ` + found.map(([head, value]) => `${head} ${value}`).join("; ");
    this.readout.textContent = text;
    return text;
  }

  move(rect) {
    this.describe();
    this.current.removeAttribute("tabindex");
    this.current = rect;
    rect.setAttribute("tabindex", "0");
    rect.focus();
  }

  listen() {
    const cell = (event) => (event.target.tagName === "rect" ? event.target : null);
    this.svg.addEventListener("mouseover", (event) => cell(event) && this.tell(cell(event)));
    this.svg.addEventListener("focusin", (event) => {
      if (!cell(event)) return;
      this.describe();
      cell(event).setAttribute("aria-label", this.tell(cell(event)));
    });
    this.svg.addEventListener("click", (event) => {
      if (!cell(event)) return;
      this.move(cell(event));
      this.open(cell(event));
    });
    this.svg.addEventListener("keydown", (event) => cell(event) && this.press(event, cell(event)));
    this.panel.addEventListener("keydown", (event) => event.key === "Escape" && this.close());
    this.figure.querySelector(".order").addEventListener("change", (event) => this.arrange(event.target.value));
    this.view.addEventListener("change", () => this.paint());
    this.figure.querySelector(".usual")?.addEventListener("change", () => this.paint());
    this.figure.querySelector(".ramp")?.addEventListener("change", (event) => {
      for (const option of event.target.options) this.figure.classList.toggle(option.value, option.selected);
    });
  }

  press(event, rect) {
    const [i, j] = this.at(rect);
    const row = this.order.indexOf(i);
    const column = this.order.indexOf(j);
    const last = this.n - 1;
    const steps = {
      ArrowUp: [row - 1, column],
      ArrowDown: [row + 1, column],
      ArrowLeft: [row, column - 1],
      ArrowRight: [row, column + 1],
      Home: event.ctrlKey ? [0, 0] : [row, 0],
      End: event.ctrlKey ? [last, last] : [row, last],
      PageUp: [row - 10, column],
      PageDown: [row + 10, column],
    };
    if (event.key === "Enter" || event.key === " ") this.open(rect);
    else if (!steps[event.key]) return;
    else {
      const [r, c] = steps[event.key].map((place) => Math.min(Math.max(place, 0), last));
      this.move(this.rects(this.order[r])[this.order[c]]);
    }
    event.preventDefault();
  }

  open(rect) {
    const [i, j] = this.at(rect);
    if (i === j) return;
    const [low, high] = [Math.min(i, j), Math.max(i, j)];
    const head = element("header");
    const title = element("h3", `${this.names[i]} and ${this.names[j]}`);
    title.tabIndex = -1;
    head.append(title, button("Close", () => this.close()));
    this.panel.replaceChildren(head);
    const block = document.querySelector(
      [`${low}-${high}`, `${high}-${low}`].map((pair) => `details[data-lens="${this.lens}"][data-pair="${pair}"]`).join(),
    );
    if (block) {
      const copy = block.querySelector(".inner").cloneNode(true);
      copy.querySelectorAll(".save").forEach((each) => each.remove());
      this.panel.append(element("p", block.querySelector("summary span").textContent), ...copy.childNodes);
    } else {
      const list = element("dl", undefined, "fields");
      for (const [name, text] of this.figures(i, j) ?? []) {
        const part = element("div");
        part.append(element("dt", name), element("dd", text));
        list.append(part);
      }
      const text = element("p", "What tells the two apart is not in this page for every pair: ");
      text.append(element("code", `stylekl pair ${shell(this.ids[i])} ${shell(this.ids[j])} ${source.dataset.files}`));
      this.panel.append(list, text);
    }
    this.panel.hidden = false;
    title.focus();
    this.panel.scrollIntoView({ block: "nearest" });
  }

  close() {
    this.panel.hidden = true;
    this.panel.replaceChildren();
    this.current.focus();
  }

  arrange(by) {
    const order = this.rows.map((_, i) => i);
    if (by === "name") order.sort((i, j) => this.names[i].localeCompare(this.names[j], "en", { numeric: true }) || i - j);
    else if (by !== "") {
      const from = Number(by);
      const far = order.map((i) => (i === from ? -Infinity : this.value(from, i) ?? Infinity));
      order.sort((i, j) => far[i] - far[j] || i - j);
    }
    this.order = order;
    const place = new Array(this.n);
    order.forEach((i, at) => (place[i] = at));
    const half = Math.floor(this.cell / 2);
    this.rows.forEach((row, i) => {
      row.setAttribute("transform", `translate(0 ${22 + place[i] * this.cell})`);
      [...this.rects(i)].forEach((rect, j) => rect.setAttribute("x", place[j] * this.cell));
      [...row.getElementsByTagName("text")].forEach((text, j) => text.setAttribute("x", place[j] * this.cell + half));
    });
    this.list.append(...order.map((i) => this.items[i]));
    this.svg.querySelector(".breaks")?.setAttribute("visibility", by === "" ? "visible" : "hidden");
  }

  paint() {
    const chosen = this.view.selectedOptions[0].dataset;
    const usual = this.figure.querySelector(".usual")?.checked && chosen.usual;
    const top = Number(usual || chosen.top);
    const words = chosen.figures ? JSON.parse(chosen.figures) : null;
    this.rows.forEach((row, i) => {
      const rects = this.rects(i);
      const texts = row.getElementsByTagName("text");
      for (let j = 0; j < this.n; j++) {
        if (i === j) continue;
        const value = this.value(i, j);
        const part = value === null ? null : Math.round(256 * Math.min(Math.max(value / top, 0), 1)) / 256;
        const level = part === null ? null : Math.min(LEVELS - 1, Math.floor(part * LEVELS));
        if (level === null) rects[j].removeAttribute("class");
        else rects[j].setAttribute("class", "l" + level);
        if (texts[j]) {
          texts[j].setAttribute("class", level === null ? "" : "t" + level);
          if (words) texts[j].textContent = words[i][j];
        }
      }
    });
    this.figure.querySelector(".unit").textContent = chosen.unit;
    this.figure.querySelector(".zero").textContent = chosen.zero;
    this.figure.querySelector(".end").textContent = usual ? chosen.usualEnd : chosen.end;
  }
}

document.querySelectorAll(".heat").forEach((figure) => new Heat(figure));

// On paper nothing can be opened, so it is open there; what is long stays as it is.
let opened = [];
addEventListener("beforeprint", () => {
  const blocks = [...document.querySelectorAll("details[data-model]")];
  opened = (blocks.length <= 24 ? blocks : []).filter((block) => !block.open);
  opened.forEach((block) => (block.open = true));
});
addEventListener("afterprint", () => opened.forEach((block) => (block.open = false)));

// A link to something folded away opens it.
addEventListener("hashchange", () => {
  const target = document.getElementById(location.hash.slice(1));
  target?.closest("details")?.setAttribute("open", "");
});

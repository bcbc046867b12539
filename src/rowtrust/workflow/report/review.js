"use strict";
(() => {
  const page = document.getElementById("review");
  const rows = [...page.querySelectorAll(".review-row")];
  if (!rows.length) return;
  const count = document.getElementById("review-count");
  const place = "rowtrust-review-" + page.dataset.key;
  const ticked = (row) => row.querySelector("input[type=radio]:checked");
  const value = (row) => row.querySelector(".review-value select, .review-value input");
  const said = (row) => (ticked(row) ? ticked(row).value : "");
  const corrected = (row) => (said(row) === "wrong" ? value(row).value.trim() : "");

  function recall() {
    try { return JSON.parse(localStorage.getItem(place)) || {}; } catch { return {}; }
  }
  function remember() {
    const state = {};
    for (const row of rows) if (said(row)) state[row.dataset.row] = [said(row), value(row).value];
    try { localStorage.setItem(place, JSON.stringify(state)); } catch { /* the page works without it */ }
  }
  function show() {
    const done = rows.filter(said).length;
    count.textContent = done + " of " + rows.length + " reviewed";
    for (const row of rows) row.classList.toggle("said", said(row) !== "");
  }
  // As rowtrust writes its files: text that a spreadsheet would run gets an apostrophe.
  function harmless(cell) {
    const number = cell.trim() !== "" && !Number.isNaN(Number(cell));
    return cell.length > 1 && /^[=+\-@\t\r\n]/.test(cell) && !number ? "'" + cell : cell;
  }
  function quoted(cell) {
    const word = harmless(cell);
    return /[",\r\n]/.test(word) ? '"' + word.replaceAll('"', '""') + '"' : word;
  }
  function csv() {
    const names = page.dataset.ids === "yes" ? ["row", "id", "given", "likely"] : ["row", "given", "likely"];
    const lines = [[...names, "p_wrong", "list", "verdict", "corrected", "comment"]];
    for (const row of rows) {
      const known = names.map((name) => row.dataset[name]);
      lines.push([...known, row.dataset.wrong, row.dataset.list, said(row), corrected(row), ""]);
    }
    return lines.map((line) => line.map(quoted).join(",") + "\n").join("");
  }
  function download() {
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob([csv()], { type: "text/csv" }));
    link.download = "review.csv";
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10000);
  }

  const state = recall();
  for (const row of rows) {
    const [verdict, right] = state[row.dataset.row] || [];
    for (const radio of row.querySelectorAll("input[type=radio]")) radio.checked = radio.value === verdict;
    value(row).value = right || "";
    row.addEventListener("change", (event) => {
      // Whoever names the right value says that the given one is wrong.
      if (event.target === value(row) && value(row).value) row.querySelector("input[value=wrong]").checked = true;
      remember();
      show();
    });
    row.querySelector(".review-say").hidden = false;
  }
  page.querySelector(".review-bar").hidden = false;
  document.getElementById("review-download").addEventListener("click", download);
  show();
})();
(() => {
  const table = document.getElementById("listed");
  if (!table) return;
  const body = table.tBodies[0], lines = [...body.rows], heads = [...table.tHead.rows[0].cells];
  const place = (name) => heads.findIndex((head) => head.dataset.column === name);
  const value = (line, name) => line.cells[place(name)].dataset.value;
  const filters = document.querySelector(".listed .filters");
  const chosen = [...filters.querySelectorAll("select")], least = filters.querySelector("input");
  function show() {
    let count = 0;
    for (const line of lines) {
      const fits = chosen.every((each) => each.value === "" || value(line, each.dataset.column) === each.value);
      line.hidden = !(fits && Number(value(line, "p_wrong")) >= Number(least.value));
      count += !line.hidden;
    }
    filters.querySelector("[role=status]").textContent = count + " of " + lines.length + " rows";
  }
  function sort(head) {
    const down = head.getAttribute("aria-sort") === "ascending", name = head.dataset.column;
    for (const each of heads) each.setAttribute("aria-sort", "none");
    head.setAttribute("aria-sort", down ? "descending" : "ascending");
    const numbers = lines.every((line) => !Number.isNaN(Number(value(line, name))));
    const order = (a, b) => (numbers ? Number(a) - Number(b) : a.localeCompare(b));
    lines.sort((a, b) => (down ? -1 : 1) * order(value(a, name), value(b, name)));
    body.append(...lines);
  }
  for (const head of heads) {
    const button = document.createElement("button");
    button.type = "button";
    button.append(...head.childNodes);
    head.append(button);
    button.addEventListener("click", () => sort(head));
  }
  filters.addEventListener("input", show);
  filters.hidden = false;
  show();
})();

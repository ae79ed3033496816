document.querySelectorAll("th button").forEach((button) => {
  button.addEventListener("click", () => {
    const head = button.parentElement;
    const body = head.closest("table").tBodies[0];
    const up = head.getAttribute("aria-sort") !== "ascending";
    const key = (row) => row.cells[head.cellIndex].dataset.v ?? row.cells[head.cellIndex].textContent;
    const compare = (a, b) => key(a).localeCompare(key(b), undefined, { numeric: true }) || 0;
    const value = (row) => parseFloat(key(row));
    const isNumber = "number" in head.dataset;
    const rows = [...body.rows].sort((a, b) => (isNumber ? value(a) - value(b) : compare(a, b)));
    head.parentElement.querySelectorAll("th").forEach((other) => other.removeAttribute("aria-sort"));
    head.setAttribute("aria-sort", up ? "ascending" : "descending");
    body.append(...(up ? rows : rows.reverse()));
  });
});

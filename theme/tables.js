// Sorts a table of the documentation by the column whose head is clicked, or backwards at the next click, and shows of a
// long one the rows that have the words of the field above it. It needs nothing else, so that it also works without a
// network; without it the tables are whole.
"use strict";

// The number that a cell begins with: "1.53 ±0.02 (+12 %)" is 1.53. Pages write the minus sign as "−".
function number(text) {
    const found = text.replaceAll("−", "-").match(/^[^\w(-]*(-?\d+(?:\.\d+)?)/);
    return found ? Number(found[1]) : null;
}

// Whether a cell says nothing, or only refers to a note, as in "(a)": such rows stay last.
function isEmpty(text) {
    return text === "" || text === "–" || /^\([a-z]+\)$/.test(text);
}

// The order of rows, as indices, by the texts of one column. Equal ones stay in their order.
function order(texts, descending) {
    const filled = texts.filter((text) => !isEmpty(text));
    const numeric = filled.every((text) => number(text) !== null);
    const compare = (a, b) =>
        numeric ? number(a) - number(b) : a.localeCompare(b, "en", { numeric: true });
    const sign = descending ? -1 : 1;
    return [...texts.keys()].sort((a, b) => {
        const [left, right] = [texts[a], texts[b]];
        const empty = isEmpty(left) - isEmpty(right);
        return empty || (isEmpty(left) ? 0 : sign * compare(left, right)) || a - b;
    });
}

function makeSortable(table) {
    const heads = [...table.querySelectorAll("thead th")];
    const body = table.tBodies[0];
    if (!body || body.rows.length < 3) {
        return;
    }
    const rows = [...body.rows];
    for (const [column, head] of heads.entries()) {
        const sort = () => {
            const descending = head.getAttribute("aria-sort") === "ascending";
            heads.forEach((other) => other.removeAttribute("aria-sort"));
            head.setAttribute("aria-sort", descending ? "descending" : "ascending");
            const texts = rows.map((row) => (row.cells[column]?.textContent ?? "").trim());
            body.append(...order(texts, descending).map((index) => rows[index]));
        };
        head.tabIndex = 0;
        head.title = "Sort by this column";
        head.style.cursor = "pointer";
        head.addEventListener("click", sort);
        head.addEventListener("keydown", (event) => {
            if (event.key === "Enter" || event.key === " ") {
                event.preventDefault();
                sort();
            }
        });
    }
}

// Whether a row's text has all words of a filter, and none of those after a minus.
function matches(text, filter) {
    const has = (word) => text.toLowerCase().includes(word);
    const words = filter.toLowerCase().split(/\s+/).filter((word) => !["", "-"].includes(word));
    return words.every((word) => (word.startsWith("-") ? !has(word.slice(1)) : has(word)));
}

function makeFilterable(table) {
    const rows = [...(table.tBodies[0]?.rows ?? [])];
    if (rows.length < 12) {
        return;
    }
    const field = document.createElement("input");
    field.type = "search";
    field.placeholder = `Rows with these words, of ${rows.length}; -word: without it`;
    field.setAttribute("aria-label", field.placeholder);
    field.style.width = "100%";
    field.addEventListener("input", () => {
        rows.forEach((row) => (row.hidden = !matches(row.textContent, field.value)));
    });
    // The page takes arrows and letters for commands.
    field.addEventListener("keydown", (event) => event.stopPropagation());
    (table.closest(".table-wrapper") ?? table).before(field);
}

if (typeof document !== "undefined") {
    const style = document.createElement("style");
    style.textContent =
        'th[aria-sort="ascending"]::after{content:" ▲"}th[aria-sort="descending"]::after{content:" ▼"}';
    document.head.append(style);
    document.querySelectorAll("main table").forEach(makeSortable);
    document.querySelectorAll("main table").forEach(makeFilterable);
}

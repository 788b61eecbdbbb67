"use strict";
(() => {
  // Text that the page has hidden: see hide() in long.rs.
  const shown = (text) => text.replace(/\\(u(....)|.)/g, (all, sign, code) =>
    code ? String.fromCharCode(parseInt(code, 16)) : sign === "l" ? "<" : sign === "t" ? "\t" : sign === "n" ? "\n" : sign);
  const taken = (place) => {
    const element = document.getElementById(place);
    const text = element.textContent;
    element.remove();
    return text;
  };
  // A cell as a number, units such as kbps and ms reckoned in.
  const SCALE = { n: 1e-9, u: 1e-6, "\u00b5": 1e-6, m: 1e-3, k: 1e3, M: 1e6, G: 1e9, min: 60, h: 3600 };
  const NUMBER = /^\s*([+\u2212-]?\d[\d.]*(?:e[+-]?\d+)?)\s*(min\b|h\b|[nu\u00b5mkMG](?=[a-zA-Z]))?/;
  const number = (cell) => {
    const [, digits, unit] = NUMBER.exec(cell) ?? [];
    return digits === undefined ? NaN : Number(digits.replace("\u2212", "-")) * (SCALE[unit] ?? 1);
  };

  // Whether a cell is what a filter asks for: >2, <=0.5, =reno, or a part of it.
  const test = (wish) => {
    const [, sign, rest] = /^\s*(>=|<=|>|<|=)?\s*(.*?)\s*$/.exec(wish);
    const limit = number(rest);
    const words = rest.toLowerCase();
    switch (sign) {
      case ">": return (cell) => number(cell) > limit;
      case "<": return (cell) => number(cell) < limit;
      case ">=": return (cell) => number(cell) >= limit;
      case "<=": return (cell) => number(cell) <= limit;
      case "=": return (cell) => cell.toLowerCase() === words || number(cell) === limit;
      default: return (cell) => cell.toLowerCase().includes(words);
    }
  };

  const SIZE = 50;
  const table = (box) => {
    const text = taken(box.dataset.rows);
    const starts = [];
    for (let at = 0; at < text.length; at = text.indexOf("\n", at) + 1) starts.push(at);
    const all = Uint32Array.from(starts.keys());
    const cells = (row) => text.slice(starts[row], text.indexOf("\n", starts[row])).split("\t");
    const head = box.querySelector("thead");
    const heads = [...head.rows[0].cells];
    const names = heads.filter((cell) => cell.className === "n").length;
    const body = box.querySelector("tbody");
    const bar = box.querySelector(".bar-of-pages");
    const told = bar.querySelector("output");
    const [first, before, after, last] = bar.querySelectorAll("button");
    const field = bar.querySelector("input");
    let rows = all, page = 0, sorted = -1, falls = false;

    const show = () => {
      const pages = Math.max(1, Math.ceil(rows.length / SIZE));
      page = Math.min(Math.max(page, 0), pages - 1);
      const part = rows.subarray(page * SIZE, (page + 1) * SIZE);
      body.replaceChildren(...Array.from(part, (row) => {
        const line = document.createElement("tr");
        cells(row).forEach((cell, column) => {
          const field = line.insertCell();
          const whole = shown(cell);
          const split = column < names ? -1 : whole.search(/ [\u00b1[]/);
          if (column < names) field.className = "n";
          field.append(split < 0 ? whole : whole.slice(0, split));
          if (split >= 0) field.appendChild(document.createElement("i")).append(whole.slice(split));
        });
        return line;
      }));
      const count = (n) => n.toLocaleString("en").replaceAll(",", "\u202f");
      const of = rows.length < all.length ? `${count(rows.length)} found of ${count(all.length)}` : count(all.length);
      told.value = rows.length ? `Rows ${count(page * SIZE + 1)}\u2013${count(page * SIZE + part.length)} of ${of}` : `No rows of ${count(all.length)}`;
      field.value = page + 1;
      field.max = pages;
      first.disabled = before.disabled = page === 0;
      after.disabled = last.disabled = page === pages - 1;
    };
    const go = (to) => { page = to; show(); };
    first.onclick = () => go(0);
    before.onclick = () => go(page - 1);
    after.onclick = () => go(page + 1);
    last.onclick = () => go(Infinity);
    field.onchange = () => go((parseInt(field.value, 10) || 1) - 1);

    const wishes = heads.map(() => "");
    const find = () => {
      const tests = wishes.flatMap((wish, column) => wish.trim() ? [[column, test(wish)]] : []);
      rows = tests.length ? all.filter((row) => {
        const line = cells(row);
        return tests.every(([column, fits]) => fits(shown(line[column])));
      }) : all.slice();
      if (sorted >= 0) {
        const keys = new Map(Array.from(rows, (row) => [row, shown(cells(row)[sorted])]));
        const numbers = new Map(Array.from(keys, ([row, cell]) => [row, number(cell)]));
        const turn = falls ? -1 : 1;
        rows.sort((a, b) => {
          const [x, y] = [numbers.get(a), numbers.get(b)];
          if (isNaN(x) || isNaN(y)) {
            if (isNaN(x) !== isNaN(y)) return isNaN(x) ? 1 : -1;
            const [s, t] = [keys.get(a), keys.get(b)];
            return s === t ? a - b : (s < t ? -turn : turn);
          }
          return x === y ? a - b : turn * (x - y);
        });
      }
      go(0);
    };
    const line = head.insertRow();
    heads.forEach((cell, column) => {
      const words = cell.textContent;
      const sort = document.createElement("button");
      sort.append(words);
      sort.title = "Sort";
      sort.onclick = () => {
        [sorted, falls] = sorted !== column ? [column, column >= names] : falls === column >= names ? [column, !falls] : [-1, false];
        heads.forEach((other, at) => other.ariaSort = at !== sorted ? null : falls ? "descending" : "ascending");
        find();
      };
      cell.replaceChildren(sort);
      const place = document.createElement("th");
      place.className = cell.className;
      const wish = document.createElement("input");
      wish.type = "search";
      wish.ariaLabel = `Filter ${words}`;
      wish.placeholder = "filter";
      let waiting;
      wish.oninput = () => {
        wishes[column] = wish.value;
        clearTimeout(waiting);
        waiting = setTimeout(find, 150);
      };
      place.append(wish);
      line.append(place);
    });
    bar.hidden = false;
    show();
  };
  document.querySelectorAll("[data-rows]").forEach(table);

  // Plots are drawn when they come into view, and taken away when they are far from it.
  const later = [...document.querySelectorAll("[data-later]")];
  if (later.length) {
    const texts = new Map(later.map((box) => [box, taken(box.dataset.later)]));
    const draw = (box) => {
      if (box.firstChild) return;
      box.innerHTML = shown(texts.get(box));
      box.style.minHeight = "";
    };
    const watch = new IntersectionObserver((seen) => {
      for (const { target: box, isIntersecting: isNear } of seen) {
        if (isNear) {
          draw(box);
        } else if (box.firstChild) {
          box.style.minHeight = `${box.offsetHeight}px`;
          box.replaceChildren();
        }
      }
    }, { rootMargin: "150% 0px" });
    for (const box of later) watch.observe(box);
    addEventListener("beforeprint", () => later.forEach(draw));
  }
})();

"use strict";
(() => {
  const COLOURS = ["#0072b2", "#d55e00", "#b98500", "#b5508a", "#3a9ad9", "#c00", "#7a4", "#555", "#00936b"];
  const SIDE = { left: 64, right: 12, top: 8, bottom: 40 };
  const summed = (differences, parts) => {
    let sum = 0;
    return Float64Array.from(differences, (d) => (sum += d) / parts);
  };
  // About `count` round numbers between two others.
  const ticks = (low, high, count) => {
    const raw = (high - low) / count;
    const power = 10 ** Math.floor(Math.log10(raw));
    const step = power * ([1, 2, 5].find((n) => n * power >= raw) ?? 10);
    const digits = Math.max(0, -Math.floor(Math.log10(step)));
    const all = [];
    for (let n = Math.ceil(low / step); n * step <= high; n += 1) all.push([n * step, (n * step).toFixed(digits)]);
    return all;
  };
  const sequence = (figure) => {
    const kinds = JSON.parse(document.getElementById(figure.dataset.of).textContent);
    for (const kind of kinds) {
      kind.x = summed(kind.x, 1e4);
      kind.y = summed(kind.y, 10);
      kind.shown = true;
    }
    const ends = (axis) => {
      let low = Infinity, high = -Infinity;
      for (const kind of kinds) for (const value of kind[axis]) {
        low = Math.min(low, value);
        high = Math.max(high, value);
      }
      return [Math.min(low, 0), high > low ? high : low + 1];
    };
    const whole = { x: ends("x"), y: ends("y") };
    const view = { x: [...whole.x], y: [...whole.y] };
    const canvas = document.createElement("canvas");
    canvas.style.cssText = "display:block;width:100%;max-width:60rem;height:26rem;touch-action:none;cursor:grab";
    const legend = document.createElement("p");
    legend.className = "soft key";
    kinds.forEach((kind, index) => {
      const label = document.createElement("label");
      const box = document.createElement("input");
      box.type = "checkbox";
      box.checked = true;
      box.style.width = "auto";
      box.addEventListener("change", () => { kind.shown = box.checked; draw(); });
      const thinned = kind.of > 1 ? ` (one of ${kind.of})` : "";
      const square = document.createElement("span");
      square.className = "k";
      square.style.background = COLOURS[index % COLOURS.length];
      label.append(box, " ", square, kind.name.replace(/&#39;/g, "'") + thinned + "\u2003");
      legend.append(label);
    });
    const help = document.createElement("p");
    help.className = "soft";
    help.textContent = "Time in s, position in kB. Wheel: enlarge where the pointer is (with Shift the time alone). Drag: move. Double click: all.";

    const room = () => ({ width: canvas.clientWidth - SIDE.left - SIDE.right, height: canvas.clientHeight - SIDE.top - SIDE.bottom });
    let asked = false;
    const draw = () => {
      if (asked) return;
      asked = true;
      requestAnimationFrame(() => { asked = false; paint(); });
    };
    const paint = () => {
      const scale = window.devicePixelRatio || 1;
      const { width, height } = room();
      if (width < 10) return;
      canvas.width = canvas.clientWidth * scale;
      canvas.height = canvas.clientHeight * scale;
      const pen = canvas.getContext("2d");
      pen.scale(scale, scale);
      const ink = getComputedStyle(figure).color;
      const px = (x) => SIDE.left + ((x - view.x[0]) / (view.x[1] - view.x[0])) * width;
      const py = (y) => SIDE.top + (1 - (y - view.y[0]) / (view.y[1] - view.y[0])) * height;
      pen.fillStyle = pen.strokeStyle = ink;
      pen.font = "12px sans-serif";
      pen.textAlign = "center";
      pen.globalAlpha = 0.25;
      pen.strokeRect(SIDE.left, SIDE.top, width, height);
      const across = ticks(...view.x, 8), up = ticks(...view.y, 6);
      for (const [y] of up) { pen.beginPath(); pen.moveTo(SIDE.left, py(y)); pen.lineTo(SIDE.left + width, py(y)); pen.stroke(); }
      pen.globalAlpha = 1;
      for (const [x, text] of across) pen.fillText(text, px(x), SIDE.top + height + 16);
      pen.fillText("Time (s)", SIDE.left + width / 2, SIDE.top + height + 34);
      pen.textAlign = "right";
      for (const [y, text] of up) pen.fillText(text, SIDE.left - 6, py(y) + 4);
      pen.save();
      pen.beginPath();
      pen.rect(SIDE.left, SIDE.top, width, height);
      pen.clip();
      kinds.forEach((kind, index) => {
        if (!kind.shown) return;
        pen.fillStyle = pen.strokeStyle = COLOURS[index % COLOURS.length];
        pen.beginPath();
        for (let i = 0; i < kind.x.length; i += 1) {
          const x = px(kind.x[i]), y = py(kind.y[i]);
          if (kind.glyph === "line") {
            if (i > 0) pen.lineTo(x, py(kind.y[i - 1]));
            i > 0 ? pen.lineTo(x, y) : pen.moveTo(x, y);
            continue;
          }
          if (x < SIDE.left - 5 || x > SIDE.left + width + 5 || y < SIDE.top - 5 || y > SIDE.top + height + 5) continue;
          if (kind.glyph === "dot") pen.rect(x - 1.2, y - 1.2, 2.4, 2.4);
          else if (kind.glyph === "ring") { pen.moveTo(x + 3.5, y); pen.arc(x, y, 3.5, 0, 7); }
          else { pen.moveTo(x - 3.5, y - 3.5); pen.lineTo(x + 3.5, y + 3.5); pen.moveTo(x - 3.5, y + 3.5); pen.lineTo(x + 3.5, y - 3.5); }
        }
        kind.glyph === "dot" ? pen.fill() : pen.stroke();
      });
      pen.restore();
    };
    canvas.addEventListener("wheel", (event) => {
      event.preventDefault();
      const { width, height } = room();
      const turned = event.deltaY || event.deltaX;
      const factor = Math.exp(Math.max(-1, Math.min(1, turned / 300)));
      const around = (axis, share) => {
        const [low, high] = view[axis];
        const most = whole[axis][1] - whole[axis][0];
        const length = Math.min(Math.max((high - low) * factor, most * 1e-6), most * 1.2);
        const at = low + share * (high - low);
        view[axis] = [at - share * length, at + (1 - share) * length];
      };
      around("x", (event.offsetX - SIDE.left) / width);
      if (!event.shiftKey) around("y", 1 - (event.offsetY - SIDE.top) / height);
      draw();
    }, { passive: false });
    canvas.addEventListener("pointerdown", (event) => canvas.setPointerCapture(event.pointerId));
    canvas.addEventListener("pointermove", (event) => {
      if (!canvas.hasPointerCapture(event.pointerId)) return;
      const { width, height } = room();
      const x = (event.movementX / width) * (view.x[1] - view.x[0]);
      const y = (event.movementY / height) * (view.y[1] - view.y[0]);
      view.x = view.x.map((value) => value - x);
      view.y = view.y.map((value) => value + y);
      draw();
    });
    canvas.addEventListener("dblclick", () => {
      view.x = [...whole.x];
      view.y = [...whole.y];
      draw();
    });
    const picture = figure.querySelector("svg");
    picture.style.display = "none";
    figure.append(canvas, legend, help);
    new ResizeObserver(draw).observe(canvas);
    const paper = (is) => {
      picture.style.display = is ? "block" : "none";
      canvas.style.display = is ? "none" : "block";
    };
    window.addEventListener("beforeprint", () => paper(true));
    window.addEventListener("afterprint", () => paper(false));
    draw();
  };
  document.querySelectorAll("figure.sequence").forEach(sequence);
})();

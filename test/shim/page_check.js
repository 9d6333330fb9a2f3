// SPDX-License-Identifier: BSD-3-Clause
// Looks at a page of `summand report` in a frame of a browser, and says in the window's title what is wrong.
const faults = [];
const fault = (what, element) => faults.push(what + " '" + (element.textContent || element.tagName).trim().slice(0, 30) + "'");
const light = rgb => {
    const part = rgb.match(/[\d.]+/g).slice(0, 3).map(v => v / 255).map(v => v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
    return 0.2126 * part[0] + 0.7152 * part[1] + 0.0722 * part[2];
};
const contrast = (one, other) => (Math.max(light(one), light(other)) + 0.05) / (Math.min(light(one), light(other)) + 0.05);
const paper = getComputedStyle(document.body).backgroundColor;
if (document.documentElement.scrollWidth > innerWidth) faults.push("the page is wider than the window");
for (const svg of document.querySelectorAll("svg")) {
    const frame = svg.getBoundingClientRect();
    if (!frame.width) continue;
    const scale = frame.width / svg.viewBox.baseVal.width, seen = [];
    for (const text of svg.querySelectorAll("text")) {
        const box = text.getBoundingClientRect(), css = getComputedStyle(text);
        if (box.right > frame.right + 1 || box.left < frame.left - 1 || box.bottom > frame.bottom + 2) fault("cut", text);
        if (parseFloat(css.fontSize) * scale < 10) fault("small", text);
        if (contrast(css.fill, paper) < 4.5) fault("faint", text);
        for (const other of seen)
            if (box.left < other.right - 1 && other.left < box.right - 1 && box.top < other.bottom - 4 && other.top < box.bottom - 4)
                fault("on another", text);
        seen.push(box);
    }
    if (!seen.length) fault("empty", svg);
    for (const bar of svg.querySelectorAll("rect:not([fill='none'])"))
        if (bar.getBoundingClientRect().right > frame.right + 1 || contrast(getComputedStyle(bar).fill, paper) < 1.5) fault("bar", bar);
}
for (const element of document.querySelectorAll("p, h1, h2, dt, dd, td, th"))
    if (element.offsetParent && contrast(getComputedStyle(element).color, paper) < 4.5) fault("faint", element);
const shown = [...document.querySelectorAll("svg")].filter(svg => svg.getBoundingClientRect().width).length;
if (shown != 3) faults.push(shown + " pictures");
top.document.title = (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light") + ", width " + innerWidth + ": " +
    (faults.slice(0, 4).join("; ") || "fine");

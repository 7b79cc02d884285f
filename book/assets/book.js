"use strict";
// What a page does: theme, menu, search, and copying of code. The pages can be read without it.
const at = (id) => document.getElementById(id);
const box = at("search"), list = at("found"), pages = at("pages");

at("theme").onclick = () => {
  const root = document.documentElement;
  const isDark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  root.dataset.theme = isDark ? "light" : "dark";
  localStorage.setItem("theme", root.dataset.theme);
};

at("menu").onclick = () => at("menu").setAttribute("aria-expanded", String(pages.classList.toggle("open")));
const here = pages.querySelector("[aria-current]");
if (here) pages.scrollTop = here.offsetTop - pages.clientHeight / 2;

for (const figure of document.querySelectorAll("figure.code")) {
  const button = document.createElement("button");
  button.className = "copy";
  button.textContent = "Copy";
  button.onclick = async () => {
    const lines = figure.querySelector("code").textContent.split("\n");
    const typed = lines.filter((line) => line.startsWith("$ "));
    const text = typed.length ? typed.map((line) => line.slice(2)).join("\n") : lines.join("\n");
    await navigator.clipboard.writeText(text.trimEnd());
    button.textContent = "Copied";
    setTimeout(() => (button.textContent = "Copy"), 1200);
  };
  figure.append(button);
}

// The index is loaded when somebody means to search.
let loading;
const load = () => (loading ??= new Promise((done) => {
  const script = document.createElement("script");
  script.src = UP + "search.js";
  script.onload = done;
  document.head.append(script);
}));

const words = (text) => text.toLowerCase().split(/[^\p{L}\p{N}_.-]+/u).filter(Boolean);

// Every word occurs; a title counts more than a text, and a whole word more than the beginning of one.
function score([page, title, , text], asked) {
  let sum = 0;
  for (const word of asked) {
    const near = (where, weight) => {
      const found = where.toLowerCase().indexOf(word);
      if (found < 0) return 0;
      const isWhole = !/[\p{L}\p{N}]/u.test(where[found + word.length] ?? " ");
      return weight * (isWhole ? 2 : 1);
    };
    const best = Math.max(near(title, 20), near(page, 8), near(text, 2));
    if (!best) return 0;
    sum += best;
  }
  return sum - Math.min(text.length, 20000) / 20000;
}

const safe = (text) => text.replace(/[&<>"]/g, (c) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" })[c]);

function excerpt(text, asked) {
  const low = text.toLowerCase();
  const from = Math.max(0, Math.min(...asked.map((word) => low.indexOf(word)).filter((found) => found >= 0), Infinity) - 50);
  const cut = safe(text.slice(Number.isFinite(from) ? from : 0).slice(0, 150));
  const known = asked.map((word) => safe(word).replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  return cut.replace(new RegExp(known.join("|"), "gi"), (word) => `<mark>${word}</mark>`);
}

async function search() {
  const asked = words(box.value);
  if (!asked.length) return void (list.hidden = true);
  await load();
  const ranked = SECTIONS.map((row) => [score(row, asked), row]).filter(([points]) => points > 0);
  ranked.sort((a, b) => b[0] - a[0]);
  const row = ([, [page, title, link, text]]) =>
    `<a href="${UP}${link}"><small>${safe(page)}</small>${safe(title)}<p>${excerpt(text, asked)}</p></a>`;
  list.innerHTML = ranked.slice(0, 20).map(row).join("") || "<p>&nbsp;Nothing has all of these words.</p>";
  list.hidden = false;
}

box.onfocus = load;
box.oninput = search;
box.onkeydown = (event) => {
  const links = [...list.querySelectorAll("a")];
  const on = links.findIndex((link) => link.classList.contains("on"));
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (step && links.length) {
    event.preventDefault();
    links[on]?.classList.remove("on");
    const next = links[(on + step + links.length) % links.length];
    next.classList.add("on");
    next.scrollIntoView({ block: "nearest" });
  } else if (event.key === "Enter" && links.length) {
    (links[on] ?? links[0]).click();
    list.hidden = true;
  } else if (event.key === "Escape") {
    box.value = "";
    list.hidden = true;
    box.blur();
  }
};
document.addEventListener("keydown", (event) => {
  if (event.key === "/" && !/^(INPUT|TEXTAREA)$/.test(document.activeElement.tagName)) {
    event.preventDefault();
    box.focus();
  }
});
document.addEventListener("click", (event) => {
  if (!event.target.closest(".search")) list.hidden = true;
  if (!event.target.closest("nav, #menu")) pages.classList.remove("open");
});

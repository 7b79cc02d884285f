"use strict";
// What the scripts of all pages have: elements by their names, new ones with attributes, listeners and children, and
// light or dark.
const $ = (id) => document.getElementById(id);
const el = (tag, attrs = {}, ...kids) => {
  const made = tag.startsWith("svg:") ? document.createElementNS("http://www.w3.org/2000/svg", tag.slice(4)) : document.createElement(tag);
  for (const [key, value] of Object.entries(attrs)) {
    if (key.startsWith("on")) made.addEventListener(key.slice(2), value);
    else if (value !== undefined && value !== null && value !== false) made.setAttribute(key, value);
  }
  made.append(...kids.flat().filter((kid) => kid !== null && kid !== undefined));
  return made;
};
const themed = (then) => {
  const set = (theme) => { document.documentElement.dataset.theme = theme; then(); };
  const flip = () => set(document.documentElement.dataset.theme === "dark" ? "light" : "dark");
  $("theme").addEventListener("click", flip);
  document.addEventListener("keydown", (event) => {
    if (event.key === "t" && event.target.tagName !== "INPUT" && !event.ctrlKey && !event.metaKey && !event.altKey) flip();
  });
  set(matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light");
};

/* The search field of the documentation pages. Served unchanged; runs in the browser. */
import { findSections } from "./find-sections.js";

const form = document.querySelector("#search");
const field = form.querySelector("input");
const list = form.querySelector("ol");
const status = form.querySelector("[role=status]");
let index;

// The field is hidden without this script, because search needs it.
form.hidden = false;
form.addEventListener("submit", (event) => {
  event.preventDefault();
  list.querySelector("a")?.click();
});
field.addEventListener("input", () => void show());

async function show() {
  index ??= fetch("/docs/search.json").then((response) => response.json());
  const query = field.value;
  const sections = await index;
  // Another letter was typed while the index was loaded.
  if (field.value !== query) return;
  const found = findSections(sections, query);
  list.replaceChildren(...found.map(entry));
  status.textContent = query.trim() === "" ? "" : found.length === 0 ? "No results" : `${found.length} results`;
}

function entry({ title, address, excerpt }) {
  const item = document.createElement("li");
  const link = document.createElement("a");
  link.href = address;
  link.textContent = title;
  const text = document.createElement("p");
  text.textContent = excerpt;
  item.append(link, text);
  return item;
}

/**
 * A documentation page as the Worker serves it below `/docs`: HTML with its own style sheet and search, which loads nothing from
 * elsewhere. Each rule of a reference is an anchor: `/docs/reference/oracle/tokens#OR-12`.
 */
import { renderMarkdown } from "./docs/markdown.ts";
import { docPages, markdownOf, sectionTitles, type DocPage } from "./docs/pages.ts";

export function renderDocPage(page: DocPage): string {
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>${page.title} · twinedge</title>
    <link rel="icon" type="image/png" sizes="32x32" href="/docs/favicon-32x32.png">
    <link rel="stylesheet" href="/docs/page.css">
    <script type="module" src="/docs/search.js"></script>
  </head>
  <body>
    <nav aria-label="Documentation">
      <a class="home" href="/docs/README">twinedge</a>
      <form id="search" role="search" hidden>
        <input type="search" aria-label="Search the documentation" placeholder="Search" autocomplete="off">
        <p role="status"></p>
        <ol></ol>
      </form>
      ${sectionTitles.map((title) => navigation(title, page)).join("\n      ")}
      <a href="/docs">API reference</a>
    </nav>
    <main>
${renderMarkdown(markdownOf(page), page.file)}
    </main>
  </body>
</html>
`;
}

/** One section of the navigation, open if it contains the current page. */
function navigation(title: DocPage["section"], current: DocPage): string {
  const pages = docPages.filter(({ section }) => section === title);
  if (pages.length === 0) return "";
  const links = pages.map((page) => {
    const mark = page.name === current.name ? ' aria-current="page"' : "";
    return `<a href="/docs/${page.name}"${mark}>${page.title}</a>`;
  });
  return `<details${current.section === title ? " open" : ""}><summary>${title}</summary>${links.join("")}</details>`;
}

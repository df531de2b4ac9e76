/** The drawings of the documents' Mermaid blocks: each is current, and fits a page that loads nothing [ALL-25]. */
import { globSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { projectRoot } from "../run-command.ts";
import { asPartOfPage, diagramsOf, drawingFolder, drawingName, drawingOf, titleOf, withoutTitle } from "./drawing.ts";

const documents = globSync(["docs/**/*.md", "sdk/*.md"], { cwd: projectRoot });
const sources = documents.flatMap((path) => diagramsOf(readFileSync(join(projectRoot, path), "utf8")));
const source = "sequenceDiagram\n  accTitle: A & B\n  A->>B: hello\n";

test("every Mermaid block of the documents has a current drawing, and every drawing a block", () => {
  expect(sources.length).toBeGreaterThan(5);
  expect(readdirSync(drawingFolder).toSorted()).toEqual(sources.map(drawingName).toSorted());
});

test("a drawing loads and runs nothing, and uses the page's colours", () => {
  for (const drawing of sources.map(drawingOf)) {
    expect(drawing).toMatch(/<svg role="img" aria-label="[^"]+"/);
    expect(drawing).not.toMatch(
      /<script|<style| style=|@import|<image|href=|font-family|http(?!:\/\/www\.w3\.org\/2000\/svg)/,
    );
    expect(drawing).not.toMatch(/(?:fill|stroke)="(?!none|var\()/);
  }
});

test("no two elements of a page's drawings share an id", () => {
  const ids = sources.flatMap((each) => [...drawingOf(each).matchAll(/ id="([^"]+)"/g)].map(([, id]) => id));
  expect(new Set(ids).size).toBe(ids.length);
});

describe("a block", () => {
  test("a changed block has another drawing, and the error names the command that draws it", () => {
    const changed = source.replace("hello", "goodbye");
    expect(drawingName(changed)).not.toBe(drawingName(source));
    expect(() => drawingOf(changed)).toThrow(/"A & B" has no current drawing. Run `npm run diagrams`/);
  });

  test("has a title for readers who cannot see it", () => {
    expect([titleOf(source), withoutTitle(source)]).toEqual(["A & B", "sequenceDiagram\n\n  A->>B: hello"]);
    expect(() => titleOf("sequenceDiagram\n  A->>B: hello\n")).toThrow(/has no line "accTitle: \.\.\."/);
  });

  test("a block is found by its language", () => {
    expect(diagramsOf(`text\n\`\`\`mermaid\n${source}\`\`\`\n\`\`\`js\nmermaid\n\`\`\`\n`)).toEqual([source]);
  });
});

test("a renderer's additions for a standalone page are removed", () => {
  const rendered = [
    '<svg xmlns="http://www.w3.org/2000/svg" width="1.23456" style="--bg:#fff">',
    "<style>@import url(https://fonts.example);</style>",
    '<marker id="arrow" data-kind="head" /><line marker-end="url(#arrow)" /></svg>',
  ].join("\n");
  expect(asPartOfPage(rendered, source)).toMatch(
    /^<svg role="img" aria-label="A &amp; B" xmlns="[^"]+" width="1\.23">\n<marker id="d(\w{8})-arrow" \/><line marker-end="url\(#d\1-arrow\)" \/><\/svg>\n$/,
  );
});

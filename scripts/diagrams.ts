/**
 * `npm run diagrams`: draws the Mermaid blocks of the documents into docs/diagrams/, which is served below `/docs`. The renderer is
 * installed into dist/ when it is needed, so that `npm install` does not download its 12 MB.
 */
import { globSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { runPlain } from "./command.ts";
import { asPartOfPage, diagramsOf, drawingFolder, drawingName, withoutTitle } from "./diagrams/drawing.ts";
import { projectRoot } from "./run-command.ts";
import { fileOfTool } from "./tool-on-demand.ts";

const usage = `Usage: npm run diagrams

Draws the Mermaid blocks of docs/ that have no current drawing into docs/diagrams/, and removes drawings without a block.
Commit the result. The first run installs the renderer below dist/ and needs the package registry.

  --help   this text

Exit codes: 0 done, 1 a block cannot be drawn, 2 wrong usage.
`;

/** The renderer and its two dependencies: pure JavaScript, no browser. */
const RENDERER = ["beautiful-mermaid@1.1.3", "elkjs@0.11.1", "entities@7.0.1"];

interface Renderer {
  readonly renderMermaidSVG: (source: string, options: typeof layout) => string;
}

/** Pixels: around a drawing, and between its columns, so that a drawing is not wider than a page. */
const layout = { padding: 12, layerSpacing: 32 };

async function loadRenderer(): Promise<Renderer> {
  const entry = await fileOfTool("diagram-renderer", RENDERER, "beautiful-mermaid/dist/index.js");
  return (await import(pathToFileURL(entry).href)) as Renderer;
}

await runPlain("npm run diagrams", usage, async () => {
  mkdirSync(drawingFolder, { recursive: true });
  const documents = globSync(["docs/**/*.md", "sdk/*.md"], { cwd: projectRoot });
  const sources = documents.flatMap((path) => diagramsOf(readFileSync(join(projectRoot, path), "utf8")));
  const wanted = new Map(sources.map((source) => [drawingName(source), source]));
  const present = readdirSync(drawingFolder);
  const missing = [...wanted].filter(([name]) => !present.includes(name));
  if (missing.length > 0) {
    const { renderMermaidSVG } = await loadRenderer();
    for (const [name, source] of missing) {
      const svg = renderMermaidSVG(withoutTitle(source), layout);
      writeFileSync(join(drawingFolder, name), asPartOfPage(svg, source));
    }
  }
  const stale = present.filter((name) => !wanted.has(name));
  for (const name of stale) rmSync(join(drawingFolder, name));
  process.stdout.write(`${missing.length} drawn, ${stale.length} removed, ${wanted.size} in all\n`);
  return 0;
});

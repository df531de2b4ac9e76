/**
 * The drawings of the documents' Mermaid blocks. GitHub draws a block itself; below `/docs`, the SVG that `npm run diagrams` has
 * written into docs/diagrams/ replaces it. Pure, except for reading that folder.
 */
import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { projectRoot } from "../run-command.ts";

export const drawingFolder = join(projectRoot, "docs/diagrams");

/** Hexadecimal digits of a digest in a name: enough to notice any change of a block. */
const DIGEST_LENGTH = 8;

const BLOCK = /^```mermaid\n(.*?)^```$/gms;
const TITLE = /^\s*accTitle: *(.+)$/m;

/** The sources of a document's blocks, in order. */
export function diagramsOf(markdown: string): readonly string[] {
  return [...markdown.matchAll(BLOCK)].map(([, source = ""]) => source);
}

/** A drawing is named by its title and the digest of its source, so that an outdated one is never found. */
export function drawingName(source: string): string {
  const title = titleOf(source)
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "-");
  return `${title}-${digestOf(source)}.svg`;
}

function digestOf(source: string): string {
  return createHash("sha256").update(source.trim()).digest("hex").slice(0, DIGEST_LENGTH);
}

/** The text for readers who cannot see the drawing; Mermaid uses this line too. */
export function titleOf(source: string): string {
  const title = TITLE.exec(source)?.[1]?.trim();
  if (title === undefined) throw new Error(`a Mermaid block has no line "accTitle: ...":\n${source}`);
  return title;
}

/** The block without its title, which the renderer does not support. */
export function withoutTitle(source: string): string {
  return source.replace(TITLE, "").trim();
}

/** @throws Error that names the command for drawing it. */
export function drawingOf(source: string): string {
  const path = join(drawingFolder, drawingName(source));
  if (!existsSync(path)) {
    throw new Error(
      `The diagram "${titleOf(source)}" has no current drawing. Run \`npm run diagrams\` and commit docs/diagrams/.`,
    );
  }
  return `<div class="diagram">\n${readFileSync(path, "utf8")}</div>\n`;
}

/**
 * A renderer's SVG as a part of a page: it uses the page's colours (page.css), loads nothing, needs no exception in the content
 * security policy for inline styles, and its ids do not clash with another drawing's.
 */
export function asPartOfPage(svg: string, source: string): string {
  const scope = `d${digestOf(source)}`;
  const label = titleOf(source).replaceAll("&", "&amp;").replaceAll('"', "&quot;");
  const body = svg
    .replaceAll(/<style>.*?<\/style>\n?/gs, "")
    .replaceAll(/ style="[^"]*"/g, "")
    .replaceAll(/ (?:data-[\w-]+)="[^"]*"/g, "")
    .replaceAll(/ id="([^"]+)"/g, ` id="${scope}-$1"`)
    .replaceAll(/url\(#([^)]+)\)/g, `url(#${scope}-$1)`)
    .replaceAll(/(?<=[ ",])(-?\d+\.\d{2})\d+/g, "$1");
  return `${body.replace("<svg ", `<svg role="img" aria-label="${label}" `).trim()}\n`;
}

/** The pictures of the documents: each is shown somewhere, none is missing, and their total size is limited. */
import { globSync, readFileSync, statSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { expect, test } from "vitest";

const project = resolve(import.meta.dirname, "../..");
const documents = globSync(["*.md", "{docs,sdk,socketio,examples,console}/**/*.md"], {
  cwd: project,
  exclude: ["**/node_modules/**", "CHANGELOG.md"],
});
const files = globSync("docs/images/*", { cwd: project });

/** Bytes, included in every clone and deployment. */
const ALL_PICTURES = 1_500_000;
/** Minimum characters of a picture's description; a screen's name has fewer. */
const SHORTEST_ALTERNATIVE = 30;

interface ShownPicture {
  readonly document: string;
  /** The path from the project's folder. */
  readonly file: string;
  /** A source of a `<picture>` has no text: its `<img>` does. */
  readonly alternative: string | undefined;
}

const shown = documents.flatMap((document): readonly ShownPicture[] => {
  const text = readFileSync(join(project, document), "utf8");
  const at = (address: string): string => relative(project, join(project, dirname(document), address));
  const local = (address: string): boolean => !/^(?:https?:|data:)/.test(address);
  const markdown = [...text.matchAll(/!\[([^\]]*)\]\(([^)\s]+)\)/g)].map(
    ([, alternative = "", address = ""]) => [address, alternative] as const,
  );
  const tags = [...text.matchAll(/<img\b[^>]*>/g)].map(
    ([tag]) => [/ src="([^"]+)"/.exec(tag)?.[1] ?? "", / alt="([^"]*)"/.exec(tag)?.[1] ?? ""] as const,
  );
  const sources = [...text.matchAll(/<source\b[^>]* srcset="([^"]+)"/g)].map(
    ([, address = ""]) => [address, undefined] as const,
  );
  return [...markdown, ...tags, ...sources].flatMap(([address, alternative]) =>
    local(address) ? [{ document, file: at(address), alternative }] : [],
  );
});

test("each picture in a document exists and has a description", () => {
  expect(shown.length).toBeGreaterThan(5);
  const wrong = shown.filter(
    ({ file, alternative }) =>
      !files.includes(file) || (alternative !== undefined && alternative.length < SHORTEST_ALTERNATIVE),
  );
  expect(wrong).toEqual([]);
});

test("each picture of docs/images is shown in a document", () => {
  const names = new Set(shown.map(({ file }) => file));
  expect(files.filter((file) => !names.has(file))).toEqual([]);
});

test("all pictures together are smaller than 1.5 MB", () => {
  const bytes = files.reduce((sum, file) => sum + statSync(join(project, file)).size, 0);
  expect(bytes).toBeLessThan(ALL_PICTURES);
});

/**
 * Puts the assets of the documentation into `dist/assets/docs`, from where the Worker serves them: its pages, the distributions of
 * Swagger UI and GraphiQL as installed, their licences, and our own start scripts and styles. As a program it builds the console
 * too (build-console.ts). Run before start, test and deploy. An unchanged file is not rewritten: a running server reloads itself,
 * even during turns, when its assets are written.
 */
import { globSync } from "node:fs";
import { mkdir, readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { basename, dirname, join } from "node:path";
import { transform } from "esbuild";
import { buildConsole } from "./build-console.ts";
import { renderDocPage } from "./doc-pages.ts";
import { IMAGE_FOLDER } from "./docs/markdown.ts";
import { docPages } from "./docs/pages.ts";
import { searchIndex } from "./docs/search-index.ts";
import { replaceFile } from "./replaced-files.ts";

const root = join(import.meta.dirname, "..");
const assets = join(root, "dist/assets");

const distribution = [
  "swagger-ui.css",
  "swagger-ui-bundle.js",
  "swagger-ui-bundle.js.LICENSE.txt",
  "swagger-ui-standalone-preset.js",
  "swagger-ui-standalone-preset.js.LICENSE.txt",
  "favicon-32x32.png",
  "LICENSE",
  "NOTICE",
];
const own = ["reference.js", "reference.css", "page.css", "search.js"];

/** @param folder where the assets are written. */
export async function buildAssets(folder: string = assets): Promise<void> {
  const target = join(folder, "docs");
  const pages = docPages.map((page): Asset => [`${page.name}.html`, renderDocPage(page)]);
  const contents = [...referenceFiles(), ...(await graphiqlFiles()), ...(await searchFiles()), ...images(), ...pages];
  const folders = new Set(contents.map(([name]) => dirname(join(target, name))));
  await Promise.all([...folders].map((name) => mkdir(name, { recursive: true })));
  await Promise.all(
    contents.map(([name, content], index) => put(join(target, name), content, `${folder}.new-${index}`)),
  );
}

/** A file's name in the target, and its text or the path of its source. */
type Asset = readonly [name: string, content: string | { readonly path: string }];

/** `unfinished` is outside the served folder. */
async function put(path: string, content: Asset[1], unfinished: string): Promise<void> {
  await replaceFile(
    path,
    typeof content === "string" ? Buffer.from(content) : await readFile(content.path),
    unfinished,
  );
}

function referenceFiles(): readonly Asset[] {
  const installed = dirname(createRequire(import.meta.url).resolve("swagger-ui-dist/package.json"));
  return [
    ...distribution.map((name): Asset => [name, { path: join(installed, name) }]),
    ...own.map((name): Asset => [name, { path: join(root, "workers/pages/reference", name) }]),
  ];
}

/** Loaded by the search field of a page when the user types into it. */
async function searchFiles(): Promise<readonly Asset[]> {
  const source = await readFile(join(root, "workers/pages/reference/find-sections.ts"), "utf8");
  const { code } = await transform(source, { loader: "ts", target: "es2022" });
  return [
    ["find-sections.js", code],
    ["search.json", JSON.stringify(searchIndex())],
  ];
}

function images(): readonly Asset[] {
  return globSync(`${IMAGE_FOLDER}/*`, { cwd: root }).map((path) => [
    `images/${basename(path)}`,
    { path: join(root, path) },
  ]);
}

/**
 * The package contains its scripts as texts for one large page; as files they are cached, and no policy must allow inline scripts.
 */
async function graphiqlFiles(): Promise<readonly Asset[]> {
  const { js, css, editorWorkerService, jsonWorker, graphqlWorker } =
    await import("@graphql-yoga/render-graphiql/graphiql");
  const installed = dirname(createRequire(import.meta.url).resolve("@graphql-yoga/render-graphiql/package.json"));
  const files: readonly Asset[] = [
    ["graphiql.js", js],
    ["graphiql.css", css],
    ["editor-worker.js", editorWorkerService],
    ["json-worker.js", jsonWorker],
    ["graphql-worker.js", graphqlWorker],
    ["LICENSE", { path: join(installed, "LICENSE") }],
    ...["workers.js", "start.js", "page.css"].map((name): Asset => [
      name,
      { path: join(root, "workers/registry/graphql/graphiql", name) },
    ]),
  ];
  return files.map(([name, content]) => [`graphiql/${name}`, content]);
}

if (import.meta.main) await Promise.all([buildAssets(), buildConsole()]);

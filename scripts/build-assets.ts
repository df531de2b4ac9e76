/**
 * Puts the assets of the documentation into `dist/assets/docs`, where the Worker serves them from: its pages, the
 * distributions of Swagger UI and GraphiQL as they were installed, their licences, and our own start scripts and styles. As a
 * program it builds the console too (build-console.ts). Run before start, test and deploy. A file that is right already is not touched: a running server reloads itself,
 * in the middle of its turns, when its assets are written.
 */
import { globSync } from "node:fs";
import { mkdir, readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { buildConsole } from "./build-console.ts";
import { docPages, renderDocPage } from "./doc-pages.ts";
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
/** Shown in the pages, from docs/images. */
const images = join(root, "docs/images");
const own = ["reference.js", "reference.css", "page.css"];

/** @param folder where the assets go. */
export async function buildAssets(folder: string = assets): Promise<void> {
  const target = join(folder, "docs");
  const folders = ["graphiql", "plugins", "reference", "sdk"];
  await Promise.all(folders.map((name) => mkdir(join(target, name), { recursive: true })));
  const pages = docPages.map((page): Asset => [`${page.name}.html`, renderDocPage(page)]);
  const contents = [...referenceFiles(), ...(await graphiqlFiles()), ...imageFiles(), ...pages];
  await Promise.all(
    contents.map(([name, content], index) => put(join(target, name), content, `${folder}.new-${index}`)),
  );
}

/** A file's name in the target, and the text or the path that it is made of. */
type Asset = readonly [name: string, content: string | { readonly path: string }];

/** `unfinished` lies outside of the folder that is served. */
async function put(path: string, content: Asset[1], unfinished: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
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

/** None before they are first taken. */
function imageFiles(): readonly Asset[] {
  return globSync("*", { cwd: images }).map((name) => [`images/${name}`, { path: join(images, name) }]);
}

/** The package holds its scripts as texts for one large page; as files they are cached, and no policy must allow inline ones. */
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

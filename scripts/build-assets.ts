/**
 * Puts the assets of the API reference and of the GraphQL page into `dist/assets/docs`, where the Worker serves them from:
 * the distributions of Swagger UI and GraphiQL as they were installed, their licences, and our own start scripts and
 * styles. Run before start, test and deploy.
 */
import { copyFile, mkdir, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";

const root = join(import.meta.dirname, "..");
const target = join(root, "dist/assets/docs");

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
const own = ["reference.js", "reference.css"];

export async function buildAssets(): Promise<void> {
  await Promise.all([buildReference(), buildGraphiql()]);
}

async function buildReference(): Promise<void> {
  const installed = dirname(createRequire(import.meta.url).resolve("swagger-ui-dist/package.json"));
  await mkdir(target, { recursive: true });
  await Promise.all([
    ...distribution.map((name) => copyFile(join(installed, name), join(target, name))),
    ...own.map((name) => copyFile(join(root, "workers/shared/reference", name), join(target, name))),
  ]);
}

/** The package holds its scripts as texts for one large page; as files they are cached, and no policy must allow inline ones. */
async function buildGraphiql(): Promise<void> {
  const { js, css, editorWorkerService, jsonWorker, graphqlWorker } =
    await import("@graphql-yoga/render-graphiql/graphiql");
  const installed = dirname(createRequire(import.meta.url).resolve("@graphql-yoga/render-graphiql/package.json"));
  const folder = join(target, "graphiql");
  await mkdir(folder, { recursive: true });
  const texts = {
    "graphiql.js": js,
    "graphiql.css": css,
    "editor-worker.js": editorWorkerService,
    "json-worker.js": jsonWorker,
    "graphql-worker.js": graphqlWorker,
  };
  await Promise.all([
    ...Object.entries(texts).map(([name, text]) => writeFile(join(folder, name), text)),
    copyFile(join(installed, "LICENSE"), join(folder, "LICENSE")),
    ...["workers.js", "start.js", "page.css"].map((name) =>
      copyFile(join(root, "workers/registry/graphql/graphiql", name), join(folder, name)),
    ),
  ]);
}

if (import.meta.main) await buildAssets();

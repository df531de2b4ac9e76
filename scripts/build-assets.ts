/**
 * Puts the API reference's assets into `dist/assets/docs`, where the Worker serves them from: the distribution of
 * Swagger UI as it was installed, its licence, and our own start script and style. Run before start, test and deploy.
 */
import { copyFile, mkdir } from "node:fs/promises";
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
  const installed = dirname(createRequire(import.meta.url).resolve("swagger-ui-dist/package.json"));
  await mkdir(target, { recursive: true });
  await Promise.all([
    ...distribution.map((name) => copyFile(join(installed, name), join(target, name))),
    ...own.map((name) => copyFile(join(root, "workers/shared/reference", name), join(target, name))),
  ]);
}

if (import.meta.main) await buildAssets();

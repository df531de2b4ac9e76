/**
 * Each bundled plugin could be an author's own: the package's entry `twinedge/oracle` exports everything that it
 * imports from the framework.
 */
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parseSync } from "oxc-parser";
import { expect, test } from "vitest";
import { projectRoot } from "../../scripts/run-command.ts";

function moduleOf(file: string) {
  return parseSync(file, readFileSync(join(projectRoot, file), "utf8")).module;
}

const ENTRY = "workers/oracle/index.ts";
const exported = new Set(
  moduleOf(ENTRY).staticExports.flatMap(({ entries }) => entries.map(({ exportName }) => exportName.name)),
);
const plugins = globSync("oracle/plugins/*/**/*.ts", { cwd: projectRoot }).filter(
  // Declarations of stored data are for a document of this project.
  (file) => !file.endsWith(".test.ts") && !file.endsWith("/stored-data.ts"),
);

test("every name that a plugin imports from the framework or the platform is exported [OR-275]", () => {
  const used = plugins.flatMap((file) =>
    moduleOf(file)
      .staticImports.filter(({ moduleRequest }) => /\/(?:framework|platform)\//.test(moduleRequest.value))
      .flatMap(({ entries }) => entries.map(({ importName }) => ({ file, name: importName.name }))),
  );
  expect(used.length).toBeGreaterThan(20);
  expect(used.filter(({ name }) => name === null || !exported.has(name))).toEqual([]);
});

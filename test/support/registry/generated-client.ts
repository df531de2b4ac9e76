/**
 * A client that a generator makes from a surface's OpenAPI document, with a program that uses it: it type-checks under the
 * project's strict rules, and it runs against the server.
 */
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { generateApi } from "swagger-typescript-api";

const projectRoot = resolve(import.meta.dirname, "../../..");

const compilerOptions = {
  // The generated client is written for a browser.
  lib: ["ES2024", "DOM", "DOM.Iterable"],
  // The generator's style does not matter, only the correctness of its types.
  verbatimModuleSyntax: false,
  erasableSyntaxOnly: false,
  noImplicitOverride: false,
  paths: {},
};

export interface GeneratedClient {
  /** The compiler's output; empty if there are no errors. */
  typeCheck(): string;
  /** The JSON that the program's `run(baseUrl, ...words)` resolves to. @throws Error with the program's output otherwise. */
  run(...words: readonly string[]): unknown;
  close(): void;
}

/** @param program TypeScript next to `./Api.ts` that exports `run`. */
export async function generatedClient(url: string, surface: string, program: string): Promise<GeneratedClient> {
  const folder = mkdtempSync(join(tmpdir(), "twinedge-client-"));
  const spec = await (await fetch(`${url}/openapi/${surface}.json`)).json();
  const { files } = await generateApi({ spec, output: false, silent: true, httpClientType: "fetch" });
  for (const { fileName, fileExtension, fileContent } of files) {
    // The generator disables type checks, which are the purpose of these tests.
    writeFileSync(join(folder, fileName + fileExtension), fileContent.replaceAll("// @ts-nocheck", ""));
  }
  writeFileSync(join(folder, "program.ts"), program);
  const config = { extends: join(projectRoot, "tsconfig.base.json"), compilerOptions, files: ["program.ts"] };
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify(config));
  return {
    typeCheck() {
      const compiler = join(projectRoot, "node_modules/.bin/tsc");
      const { status, stdout } = spawnSync(compiler, ["-p", folder, "--pretty", "false"], { encoding: "utf8" });
      return status === 0 ? stdout : `${stdout}exit code ${status}`;
    },
    run(...words) {
      const main = `
        import { run } from ${JSON.stringify(pathToFileURL(join(folder, "program.ts")).href)};
        console.log(JSON.stringify(await run(...process.argv.slice(1))));
      `;
      const flags = ["--experimental-transform-types", "--no-warnings", "--input-type=module", "--eval", main];
      const { stdout, stderr } = spawnSync(process.execPath, [...flags, url, ...words], { encoding: "utf8" });
      if (stderr !== "" || stdout === "") throw new Error(stderr);
      return JSON.parse(stdout);
    },
    close: () => rmSync(folder, { recursive: true, force: true }),
  };
}

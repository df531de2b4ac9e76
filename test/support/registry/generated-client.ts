/**
 * A client that a generator makes from a surface's OpenAPI document, with a program that uses it: it type-checks under the
 * project's strict rules, and it runs against the server.
 */
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";

const projectRoot = resolve(import.meta.dirname, "../../..");

/** It requires an older TypeScript than ours, which is next to it in the console's packages. */
const generator = createRequire(join(projectRoot, "console/package.json"))("openapi-typescript") as {
  readonly default: (document: object, options: object) => Promise<readonly object[]>;
  readonly astToString: (types: readonly object[]) => string;
};

const compilerOptions = {
  // The client calls the browser's `fetch`.
  lib: ["ES2024", "DOM", "DOM.Iterable"],
  paths: {},
};

export interface GeneratedClient {
  /** The compiler's output; empty if there are no errors. */
  typeCheck(): string;
  /** The JSON that the program's `run(baseUrl, ...words)` resolves to. @throws Error with the program's output otherwise. */
  run(...words: readonly string[]): unknown;
  close(): void;
}

/** @param program TypeScript next to the types in `./api.ts` that exports `run`. It may import `openapi-fetch`. */
export async function generatedClient(url: string, surface: string, program: string): Promise<GeneratedClient> {
  // Inside the project, where the program finds its packages.
  mkdirSync(join(projectRoot, "dist"), { recursive: true });
  const folder = mkdtempSync(join(projectRoot, "dist/generated-client-"));
  const document = await (await fetch(`${url}/openapi/${surface}.json`)).json<object>();
  // A member with a default is optional in a request.
  const types = await generator.default(document, { silent: true, defaultNonNullable: false });
  writeFileSync(join(folder, "api.ts"), generator.astToString(types));
  writeFileSync(join(folder, "program.ts"), program);
  const config = { extends: join(projectRoot, "tsconfig.base.json"), compilerOptions, files: ["program.ts"] };
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify(config));
  return {
    typeCheck() {
      const compiler = join(projectRoot, "node_modules/.bin/tsc");
      const { status, stdout } = spawnSync(compiler, ["-p", folder, "--pretty", "false", "--checkers", "1"], {
        encoding: "utf8",
      });
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

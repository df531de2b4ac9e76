/**
 * `npm run import`: imports a file of domains into a running registry, or exports a registry's domains into a file, over its own
 * HTTP interface. This file binds it to the process; start reading at `import/run-import.ts`.
 */
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { syntheticLines } from "../bench/synthetic-domains.ts";
import { runAs } from "./command.ts";
import { importCommand } from "./import/arguments.ts";
import { createProgress } from "./import/progress.ts";
import { runImport } from "./import/run-import.ts";
import { projectRoot } from "./run-command.ts";
import { readDevVarsFile } from "./start/dev-vars.ts";

await runAs(importCommand, (options) => {
  const interrupt = new AbortController();
  // The system handles a second Ctrl-C.
  process.once("SIGINT", () => interrupt.abort());
  process.once("SIGTERM", () => interrupt.abort());
  const note = (line: string): void => void process.stderr.write(`${line}\n`);
  return runImport(options, {
    environment: process.env,
    localVariables: () => readDevVarsFile(join(projectRoot, ".dev.vars")),
    note,
    progress: createProgress({ terminal: process.stderr, now: () => performance.now() }),
    fetch,
    interrupted: interrupt.signal,
    wait: (milliseconds) => wait(milliseconds, undefined, { signal: interrupt.signal }),
    make: syntheticLines,
  });
});

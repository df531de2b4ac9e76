/** `npm run audit`: exports and verifies the audit log. This file binds `audit/run-audit.ts` to the process. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { auditCommand } from "./audit/arguments.ts";
import { runAudit } from "./audit/run-audit.ts";
import { runAs } from "./command.ts";
import { projectRoot } from "./run-command.ts";
import { readDevVarsFile } from "./start/dev-vars.ts";

await runAs(auditCommand, (options) =>
  runAudit(options, {
    environment: process.env,
    localVariables: () => readDevVarsFile(join(projectRoot, ".dev.vars")),
    standardInput: () => text(process.stdin),
    print: (line) => void process.stdout.write(`${line}\n`),
    note: (line) => void process.stderr.write(`${line}\n`),
    readFile: (path) => readFileSync(path, "utf8"),
    fetch,
  }),
);

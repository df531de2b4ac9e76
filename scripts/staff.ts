/** `npm run staff`: invites, lists and disables the people of the console. This file binds `staff/run-staff.ts` to the process. */
import { text } from "node:stream/consumers";
import { join } from "node:path";
import { runAs } from "./command.ts";
import { projectRoot } from "./run-command.ts";
import { staffCommand } from "./staff/arguments.ts";
import { runStaff } from "./staff/run-staff.ts";
import { readDevVarsFile } from "./start/dev-vars.ts";

await runAs(staffCommand, (options) =>
  runStaff(options, {
    environment: process.env,
    localVariables: () => readDevVarsFile(join(projectRoot, ".dev.vars")),
    standardInput: () => text(process.stdin),
    print: (line) => void process.stdout.write(`${line}\n`),
    note: (line) => void process.stderr.write(`${line}\n`),
    fetch,
  }),
);

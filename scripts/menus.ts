/** `npm run menus`: checks and tests a menu file, and exchanges its texts with translators. This file binds it to the process. */
import { readFileSync, writeFileSync } from "node:fs";
import { runAs } from "./command.ts";
import { menusCommand } from "./menus/arguments.ts";
import { runMenus } from "./menus/run-menus.ts";

await runAs(menusCommand, (task) =>
  runMenus(task, {
    read: (path) => readFileSync(path, "utf8"),
    write: (path, text) => writeFileSync(path, text),
    print: (text) => void process.stdout.write(text),
    note: (line) => void process.stderr.write(`${line}\n`),
  }),
);

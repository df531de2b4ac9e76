/** One run of `npm run menus`. It needs no server: the checks are those of the gateway. */
import { checkMenuFile } from "../../durable-objects/ussd-session/programme/check-menu-file.ts";
import { faultLine, type FileFault } from "../../durable-objects/ussd-session/programme/faults.ts";
import { writePo } from "../../durable-objects/ussd-session/programme/po.ts";
import { readMenuFile } from "../../durable-objects/ussd-session/programme/read-menu-file.ts";
import type { MenusTask } from "./arguments.ts";
import { withTranslations } from "./import-po.ts";

export interface MenusProcess {
  readonly read: (path: string) => string;
  readonly write: (path: string, text: string) => void;
  readonly print: (text: string) => void;
  readonly note: (line: string) => void;
}

const exitCodes = { done: 0, faults: 1 } as const;
type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

export function runMenus(task: MenusTask, process: MenusProcess): ExitCode {
  const source = textOf(task.file, process);
  if (source === undefined) return exitCodes.faults;
  switch (task.kind) {
    case "check":
    case "test":
      return check(task.kind, source, process);
    case "export": {
      const read = readMenuFile(source);
      if (!read.ok) return refuse(read.error, process);
      process.print(writePo(read.value.file, task.language));
      return exitCodes.done;
    }
    case "import": {
      const po = textOf(task.po, process);
      if (po === undefined) return exitCodes.faults;
      const changed = withTranslations(source, po);
      if (!changed.ok) {
        process.note(`npm run menus: ${changed.error}`);
        return exitCodes.faults;
      }
      const { text, language, translated, stale, open } = changed.value;
      process.write(task.file, text);
      process.note(`${language}: ${translated} texts written, ${open} not translated`);
      for (const name of stale) process.note(`${name}: its original has changed since the export; translate it again`);
      return check("check", text, process);
    }
  }
}

function check(kind: "check" | "test", source: string, process: MenusProcess): ExitCode {
  const checked = checkMenuFile(source);
  if (!checked.ok) return refuse(checked.error, process);
  const { file, tests } = checked.value;
  if (kind === "test") for (const { name } of file.tests ?? []) process.print(`passed: ${name}\n`);
  const counts = [
    `${Object.keys(file.screens).length} screens`,
    `${Object.keys(file.texts).length} texts`,
    `${file.languages.length} languages`,
    `${tests} tests passed`,
  ];
  process.note(`${file.programme}: ${counts.join(", ")}`);
  return exitCodes.done;
}

function refuse(faults: readonly FileFault[], process: MenusProcess): ExitCode {
  for (const fault of faults) process.print(`${faultLine(fault)}\n`);
  process.note(`npm run menus: ${faults.length === 1 ? "1 fault" : `${faults.length} faults`}`);
  return exitCodes.faults;
}

function textOf(path: string, process: MenusProcess): string | undefined {
  try {
    return process.read(path);
  } catch (error) {
    process.note(`npm run menus: ${path} cannot be read: ${(error as NodeJS.ErrnoException).code ?? "unknown reason"}`);
    return undefined;
  }
}

/** Checks a whole menu file: its form, its ways, its texts, its widths, its calls, and its own tests. */
import { failure, success, type Result } from "../../../platform/result.ts";
import { programmeOf } from "./build-programme.ts";
import { checkCalls } from "./check/calls.ts";
import { createReport } from "./check/report.ts";
import { checkTexts } from "./check/texts.ts";
import { checkWays } from "./check/ways.ts";
import { checkWidths } from "./check/widths.ts";
import type { FileFault } from "./faults.ts";
import type { MenuFile } from "./menu-file.ts";
import type { Programme } from "./programme.ts";
import { readMenuFile } from "./read-menu-file.ts";
import { runFileTests } from "./run-file-tests.ts";

export interface CheckedMenuFile {
  readonly file: MenuFile;
  readonly programme: Programme;
  /** Tests of the file that passed: all of them. */
  readonly tests: number;
}

/** A file that passes can be published: the interpreter never meets a missing screen, text or value in it. */
export function checkMenuFile(source: string): Result<CheckedMenuFile, readonly FileFault[]> {
  const read = readMenuFile(source);
  if (!read.ok) return read;
  const { file, lineAt } = read.value;
  const { faults, report } = createReport(lineAt);
  checkWays(file, report);
  checkTexts(file, report);
  checkCalls(file, report);
  // A file with such faults cannot be shown, nor run.
  if (faults.length > 0) return failure(sorted(faults));
  const programme = programmeOf(file);
  checkWidths(file, programme, report);
  const tests = faults.length > 0 ? 0 : runFileTests(file, programme, report);
  return faults.length > 0 ? failure(sorted(faults)) : success({ file, programme, tests });
}

function sorted(faults: readonly FileFault[]): readonly FileFault[] {
  return faults.toSorted((one, other) => one.line - other.line);
}

/** Collects the faults that the checks of a menu file find, with their lines. */
import type { FileFault } from "../faults.ts";
import { MOST_FAULTS } from "../faults.ts";

export interface Place {
  readonly screen?: string | undefined;
  readonly language?: string | undefined;
  readonly count?: number | undefined;
}

export type Report = (path: readonly PropertyKey[], sentence: string, place?: Place) => void;

export function createReport(lineAt: (path: readonly PropertyKey[]) => number) {
  const faults: FileFault[] = [];
  const report: Report = (path, sentence, { screen, language, count } = {}) => {
    if (faults.length >= MOST_FAULTS) return;
    faults.push({
      line: lineAt(path),
      sentence,
      ...(screen === undefined ? {} : { screen }),
      ...(language === undefined ? {} : { language }),
      ...(count === undefined ? {} : { count }),
    });
  };
  return { faults, report };
}

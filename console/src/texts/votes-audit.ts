/** Words of the audit trail of votes. */
import { plural } from "./number.ts";

interface ExportFacts {
  readonly entries: number;
  readonly proposals: number;
  /** Whether there are more proposals than a file takes. */
  readonly isCut: boolean;
  readonly filters: Readonly<Record<string, string>>;
}

export const auditTexts = {
  /** The first entry of the file. */
  holds: ({ entries, proposals, isCut, filters }: ExportFacts) => {
    const used = Object.entries(filters).filter(([, value]) => value !== "");
    const what = isCut
      ? `the newest ${plural(proposals, "proposal", "proposals")}; there are more`
      : `all ${plural(proposals, "proposal", "proposals")}`;
    const by =
      used.length === 0 ? "No filters." : `Filters: ${used.map(([name, value]) => `${name} ${value}`).join(", ")}.`;
    return `${plural(entries, "entry", "entries")} of ${what}. ${by} Times are in UTC.`;
  },
};

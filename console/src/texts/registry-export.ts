/** Words of the export of domains. */
import { grouped, plural } from "./number.ts";

const counted = (total: number | undefined): string =>
  total === undefined ? "The domains" : plural(total, "domain", "domains");

export const exportTexts = {
  title: "Export domains",
  all: (total: number | undefined) => `${counted(total)} of the registry, on all pages, oldest first.`,
  filtered: (total: number | undefined) =>
    `${counted(total)} with the search and filters of the list, on all pages, oldest first. A search sorts by relevance.`,
  format: "Format",
  formats: {
    csv: "CSV, for spreadsheets. It can be imported again.",
    ndjson: "NDJSON, for programs: one domain on each line, with everything that the registry shows.",
  },
  start: "Export",
  progress: "Progress of the export",
  running: (count: number) => `${grouped(count)} domains read…`,
  waiting: {
    server: (seconds: number) => `The server is busy. The export continues in ${seconds} s.`,
    connection: (seconds: number) => `The connection was lost. The export tries again in ${seconds} s.`,
  },
  fileName: (format: string) => `domains.${format}`,
  saved: (count: number) => `${plural(count, "domain", "domains")} exported.`,
};

/** Words of the export of domains. */
import { plural } from "./number.ts";

const counted = (total: number | undefined): string =>
  total === undefined ? "The domains" : plural(total, "domain", "domains");

export const exportTexts = {
  all: (total: number | undefined) => `${counted(total)} of the registry, on all pages, oldest first.`,
  filtered: (total: number | undefined) =>
    `${counted(total)} with the search and filters of the list, on all pages, oldest first. A search sorts by relevance.`,
};

/**
 * The query of REST's list of domains: parses and validates its parameters, and converts them to the filter from which
 * lists are compiled.
 */
import type { FailureDetail } from "../../../platform/failure.ts";
import { failure, success, type Result } from "../../../platform/result.ts";
import { domainStatuses, verificationStatuses } from "../domain/domain.ts";
import { parseTime } from "../domain/time.ts";
import { isDid, isDidUrl } from "../did.ts";
import { failureOfDetails } from "../failures.ts";
import { entityFilterColumns, equalityOf, type Column } from "./columns.ts";
import type { FilterInput } from "./filter/compile.ts";

/** Maximum values of a repeated parameter. */
const REPEATED_VALUES = 50;
/** Characters of a full-text query. */
const SEARCH_LENGTH = 200;

export const equalityFilters = [
  "type",
  "class",
  "controller",
  "owner",
  "relayerNode",
  "externalId",
  "status",
  "verificationStatus",
] as const satisfies readonly Exclude<keyof typeof entityFilterColumns, "context" | "metadata">[];
export type EqualityFilter = (typeof equalityFilters)[number];

export const timeFilters = ["validAt", "createdFrom", "createdTo", "updatedFrom", "updatedTo"] as const;
export type TimeFilter = (typeof timeFilters)[number];

export const sortFields = [
  "createdAt",
  "updatedAt",
  "name",
  "type",
  "validFrom",
  "validUntil",
  "id",
  "relevance",
] as const;
export type SortField = (typeof sortFields)[number];

export interface DomainListQuery {
  /** Any of the values of each filter, as texts in canonical form, because cursors are bound to them. */
  readonly equal: Readonly<Partial<Record<EqualityFilter, readonly string[]>>>;
  /** Unix milliseconds. */
  readonly times: Readonly<Partial<Record<TimeFilter, number>>>;
  /** The words of `q`. Each must match, the last one as a prefix. */
  readonly words: readonly string[] | undefined;
  readonly sort: { readonly field: SortField; readonly descending: boolean };
  readonly count: boolean;
}

/** The filters as lists compile them, without ranges of creation and update, which can be walked. */
export function filterOf({ equal, times: { validAt } }: Pick<DomainListQuery, "equal" | "times">): FilterInput {
  const equalities: FilterInput = Object.fromEntries(
    equalityFilters.flatMap((name): [string, object | undefined][] => {
      const values = equal[name];
      return values === undefined ? [] : [[name, equalityOf(columnOf(name), values)]];
    }),
  );
  if (validAt === undefined) return equalities;
  const begun = { or: [{ startDate: { isNull: true } }, { startDate: { lessThanOrEqualTo: validAt } }] };
  const notOver = { or: [{ endDate: { isNull: true } }, { endDate: { greaterThan: validAt } }] };
  return { ...equalities, and: [begun, notOver] };
}

export function readListQuery(parameters: URLSearchParams): Result<DomainListQuery> {
  const details: FailureDetail[] = [];
  const query: DomainListQuery = {
    equal: equalValues(parameters, details),
    times: timeValues(parameters, details),
    words: searchWords(single(parameters, "q", details), details),
    sort: sortOf(single(parameters, "sort", details), parameters.has("q"), details),
    count: flagOf(single(parameters, "count", details), details),
  };
  return details.length > 0 ? failure(failureOfDetails(details)) : success(query);
}

function equalValues(parameters: URLSearchParams, details: FailureDetail[]): DomainListQuery["equal"] {
  const given = equalityFilters.flatMap((name): [string, readonly string[]][] => {
    const values = [...parameters.getAll(name), ...(name === "class" ? parameters.getAll("protocol") : [])];
    if (values.length > REPEATED_VALUES) {
      details.push({
        parameter: name,
        reason: "length",
        message: `${name} may be given at most ${REPEATED_VALUES} times`,
      });
    }
    return values.length === 0 ? [] : [[name, [...new Set(values.map((value) => canonical(name, value, details)))]]];
  });
  return Object.fromEntries(given);
}

/** These columns contain DIDs, so no other text can match. */
const didFilters: Readonly<Partial<Record<EqualityFilter, (text: string) => boolean>>> = {
  class: isDidUrl,
  controller: isDid,
  owner: isDid,
  relayerNode: isDid,
};

const closedSets: Readonly<Partial<Record<EqualityFilter, readonly string[]>>> = {
  status: domainStatuses,
  verificationStatus: verificationStatuses,
};

/** All values of the filter, which ignores case; undefined if the set is open. */
export function choicesOf(name: EqualityFilter): readonly string[] | undefined {
  return columnOf(name).kind === "boolean" ? ["true", "false"] : closedSets[name];
}

function columnOf(name: EqualityFilter): Column {
  return entityFilterColumns[name];
}

/** In canonical form: types by their key, a closed set in its own spelling, numbers and times in stored form. */
function canonical(name: EqualityFilter, value: string, details: FailureDetail[]): string {
  const known = choicesOf(name);
  if (known !== undefined) {
    const choice = known.find((each) => each.toLowerCase() === value.toLowerCase());
    if (choice === undefined) {
      details.push({ parameter: name, reason: "range", message: `${name} must be one of ${known.join(", ")}` });
    }
    return choice ?? value;
  }
  const isOfForm = didFilters[name];
  if (isOfForm !== undefined && !isOfForm(value)) {
    details.push({ parameter: name, reason: "format", message: `${name} must be a DID` });
  }
  const column = columnOf(name);
  if (column.kind === "text") return column.whole.fold(value);
  if (equalityOf(column, [value]) === undefined) {
    details.push({
      parameter: name,
      reason: "format",
      message: `${name} must be ${column.kind === "integer" ? "an integer" : "an RFC 3339 time or date"}`,
    });
  }
  return value;
}

function timeValues(parameters: URLSearchParams, details: FailureDetail[]): DomainListQuery["times"] {
  const given = timeFilters.flatMap((name): [string, number][] => {
    const text = single(parameters, name, details);
    if (text === undefined) return [];
    const instant = parseTime(text);
    if (instant === undefined) {
      details.push({ parameter: name, reason: "format", message: `${name} must be an RFC 3339 time or date` });
    }
    return [[name, instant?.milliseconds ?? 0]];
  });
  return Object.fromEntries(given);
}

/** Letters, digits and their marks. All other characters, including operators, only separate words. */
const word = /[\p{L}\p{N}][\p{L}\p{N}\p{M}]*/gu;

function searchWords(text: string | undefined, details: FailureDetail[]): readonly string[] | undefined {
  if (text === undefined) return undefined;
  const words = text.match(word) ?? [];
  if (Array.from(text).length > SEARCH_LENGTH) {
    details.push({ parameter: "q", reason: "length", message: `q may have at most ${SEARCH_LENGTH} characters` });
  } else if (words.length === 0) {
    details.push({ parameter: "q", reason: "format", message: "q must contain a letter or a digit" });
  }
  const telling = words.filter((each) => !inEveryId.has(each.toLowerCase()));
  if (words.length > 0 && telling.length === 0) {
    details.push({ parameter: "q", reason: "range", message: "q must contain a word that is not part of every id" });
  }
  return telling;
}

/** The words at the start of every domain's id. They would match all domains, so they are ignored. */
const inEveryId = new Set(["did", "ixo", "entity"]);

/** Relevance is always best first. */
function sortOf(text: string | undefined, searches: boolean, details: FailureDetail[]): DomainListQuery["sort"] {
  if (text === undefined) return { field: searches ? "relevance" : "createdAt", descending: true };
  const descending = text.startsWith("-");
  const field = sortFields.find((name) => name === (descending ? text.slice(1) : text));
  if (field === undefined) {
    details.push({
      parameter: "sort",
      reason: "range",
      message: `sort must be one of ${sortFields.join(", ")}, optionally after -`,
    });
  } else if (field === "relevance" && !searches) {
    details.push({ parameter: "sort", reason: "range", message: "sort by relevance needs q" });
  }
  return { field: field ?? "createdAt", descending: descending || field === "relevance" };
}

function flagOf(text: string | undefined, details: FailureDetail[]): boolean {
  if (text !== undefined && text !== "true" && text !== "false") {
    details.push({ parameter: "count", reason: "range", message: "count must be true or false" });
  }
  return text === "true";
}

function single(parameters: URLSearchParams, name: string, details: FailureDetail[]): string | undefined {
  const values = parameters.getAll(name);
  if (values.length > 1)
    details.push({ parameter: name, reason: "duplicate", message: `${name} may be given only once` });
  return values[0];
}

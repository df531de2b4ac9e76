/**
 * The parameters of a list of domains, read and checked (contract/registry.md section 4.2). What they cost and how they
 * become SQL is `store/domain-list.ts`'s matter.
 */
import { failure, success } from "../../platform/result.ts";
import { problemOfFlaws, type Flaw, type Outcome } from "../problem.ts";
import { domainStatuses, verificationStatuses } from "./domain.ts";
import { typeKeyOf } from "./known-types.ts";
import { parseTime } from "./time.ts";

/** Values of one parameter that is given several times. */
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
] as const;
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

/** Every parameter that the list knows; `protocol` is the second name of `class`. */
export const listParameters = [...equalityFilters, "protocol", ...timeFilters, "q", "sort", "limit", "cursor", "count"];
/** Those of an export, which has no pages and an order of its own. */
export const exportParameters = [...equalityFilters, "protocol", ...timeFilters, "q", "cursor"];

export interface DomainListQuery {
  /** Any of the values of each; types as keys. */
  readonly equal: Readonly<Partial<Record<EqualityFilter, readonly string[]>>>;
  /** Unix milliseconds. */
  readonly times: Readonly<Partial<Record<TimeFilter, number>>>;
  /** The words of `q`, each of which must match, the last as a prefix. */
  readonly words: readonly string[] | undefined;
  readonly sort: { readonly field: SortField; readonly descending: boolean };
  readonly count: boolean;
}

export function readListQuery(parameters: URLSearchParams): Outcome<DomainListQuery> {
  const flaws: Flaw[] = [];
  const query: DomainListQuery = {
    equal: equalValues(parameters, flaws),
    times: timeValues(parameters, flaws),
    words: searchWords(single(parameters, "q", flaws), flaws),
    sort: sortOf(single(parameters, "sort", flaws), parameters.has("q"), flaws),
    count: flagOf(single(parameters, "count", flaws), flaws),
  };
  return flaws.length > 0 ? failure(problemOfFlaws(flaws)) : success(query);
}

function equalValues(parameters: URLSearchParams, flaws: Flaw[]): DomainListQuery["equal"] {
  const given = equalityFilters.flatMap((name): [string, readonly string[]][] => {
    const values = [...parameters.getAll(name), ...(name === "class" ? parameters.getAll("protocol") : [])];
    if (values.length > REPEATED_VALUES) {
      flaws.push({ parameter: name, code: "length", detail: `${name} may be given at most ${REPEATED_VALUES} times` });
    }
    return values.length === 0 ? [] : [[name, [...new Set(values.map((value) => folded(name, value, flaws)))]]];
  });
  return Object.fromEntries(given);
}

const choices: Readonly<Partial<Record<EqualityFilter, readonly string[]>>> = {
  status: domainStatuses,
  verificationStatus: verificationStatuses,
};

/** As it is stored: types by their key, the two statuses in their one spelling. */
function folded(name: EqualityFilter, value: string, flaws: Flaw[]): string {
  if (name === "type") return typeKeyOf(value);
  const known = choices[name];
  if (known === undefined) return value;
  const choice = known.find((each) => each.toLowerCase() === value.toLowerCase());
  if (choice === undefined) {
    flaws.push({ parameter: name, code: "range", detail: `${name} must be one of ${known.join(", ")}` });
  }
  return choice ?? value;
}

function timeValues(parameters: URLSearchParams, flaws: Flaw[]): DomainListQuery["times"] {
  const given = timeFilters.flatMap((name): [string, number][] => {
    const text = single(parameters, name, flaws);
    if (text === undefined) return [];
    const instant = parseTime(text);
    if (instant === undefined) {
      flaws.push({ parameter: name, code: "format", detail: `${name} must be an RFC 3339 time or date` });
    }
    return [[name, instant?.milliseconds ?? 0]];
  });
  return Object.fromEntries(given);
}

/** Letters and digits, and the marks upon them; everything else, operators too, only parts words. */
const word = /[\p{L}\p{N}][\p{L}\p{N}\p{M}]*/gu;

function searchWords(text: string | undefined, flaws: Flaw[]): readonly string[] | undefined {
  if (text === undefined) return undefined;
  const words = text.match(word) ?? [];
  if (Array.from(text).length > SEARCH_LENGTH) {
    flaws.push({ parameter: "q", code: "length", detail: `q may have at most ${SEARCH_LENGTH} characters` });
  } else if (words.length === 0) {
    flaws.push({ parameter: "q", code: "format", detail: "q must hold a letter or a digit" });
  }
  return words;
}

/** Relevance is best first either way. */
function sortOf(text: string | undefined, searches: boolean, flaws: Flaw[]): DomainListQuery["sort"] {
  if (text === undefined) return { field: searches ? "relevance" : "createdAt", descending: true };
  const descending = text.startsWith("-");
  const field = sortFields.find((name) => name === (descending ? text.slice(1) : text));
  if (field === undefined) {
    flaws.push({
      parameter: "sort",
      code: "range",
      detail: `sort must be one of ${sortFields.join(", ")}, or - and one`,
    });
  } else if (field === "relevance" && !searches) {
    flaws.push({ parameter: "sort", code: "range", detail: "sort by relevance needs q" });
  }
  return { field: field ?? "createdAt", descending: descending || field === "relevance" };
}

function flagOf(text: string | undefined, flaws: Flaw[]): boolean {
  if (text !== undefined && text !== "true" && text !== "false") {
    flaws.push({ parameter: "count", code: "range", detail: "count must be true or false" });
  }
  return text === "true";
}

function single(parameters: URLSearchParams, name: string, flaws: Flaw[]): string | undefined {
  const values = parameters.getAll(name);
  if (values.length > 1) flaws.push({ parameter: name, code: "duplicate", detail: `${name} may be given once` });
  return values[0];
}

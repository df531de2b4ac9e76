/**
 * How the list of domains is searched, filtered, ordered and paged: one table of filters, from which the form, the address, the
 * request, the chips and the export follow. A new filter needs one row. Pure.
 */
import type { operations } from "../../api/paths.d.ts";
import type { FilterChoice, TypedFilter } from "../../kit/filter-form.tsx";
import { memberNames } from "../../texts/domain-members.ts";
import { typeName } from "../../texts/domain-types.ts";
import { statusNames, verificationNames } from "../../texts/registry.ts";

export type ListQuery = NonNullable<operations["listDomains"]["parameters"]["query"]>;

interface FilterRow {
  /** Shown at its field and on its chip. */
  readonly label: string;
  /** A list contains several values, and a domain matches with any of them. */
  readonly kind: "list" | "date";
  /** The values that can be selected, with their labels. A filter without them is typed. */
  readonly choices?: Readonly<Record<string, string>>;
  /** For a typed value that is not among the choices. */
  readonly typedLabel?: string;
  readonly hint?: string;
  /** A value in words; itself by default. */
  readonly words?: (value: string) => string;
}

/** By their names in `GET /v1/domains`, in the order of the form. */
const filters = {
  type: {
    label: memberNames.type,
    kind: "list",
    choices: {},
    typedLabel: "Type name",
    hint: "In any spelling, such as asset/device.",
    words: typeName,
  },
  verificationStatus: { label: "Verification", kind: "list", choices: verificationNames },
  status: { label: "Status", kind: "list", choices: statusNames },
  class: { label: memberNames.class, kind: "list", hint: "DID of the class." },
  controller: { label: "Controller", kind: "list", hint: "DID of a controller." },
  owner: { label: "Owner", kind: "list", hint: "DID of the creator." },
  relayerNode: { label: memberNames.relayerNode, kind: "list", hint: "DID of the operator." },
  externalId: { label: memberNames.externalId, kind: "list", hint: "Exactly as it was entered." },
  validAt: { label: "Valid on", kind: "date" },
  createdFrom: { label: "Created from", kind: "date" },
  createdTo: { label: "Created before", kind: "date" },
  updatedFrom: { label: "Changed from", kind: "date" },
  updatedTo: { label: "Changed before", kind: "date" },
} as const satisfies Readonly<Partial<Record<keyof ListQuery, FilterRow>>>;

export type FilterName = keyof typeof filters;
type FilterState = {
  readonly [Name in FilterName]: (typeof filters)[Name]["kind"] extends "date" ? string : readonly string[];
};

const rows: readonly (FilterRow & { readonly name: FilterName })[] = Object.entries<FilterRow>(filters).map(
  ([name, row]) => Object.assign({ name: name as FilterName }, row),
);
const noFilters = Object.fromEntries(
  rows.map(({ name, kind }) => [name, kind === "list" ? [] : ""]),
) as Partial<FilterState> as FilterState;

const orders = {
  "-createdAt": "Newest first",
  createdAt: "Oldest first",
  "-updatedAt": "Recently changed first",
  updatedAt: "Least recently changed first",
  name: "Name, A to Z",
  "-name": "Name, Z to A",
  type: "Type, A to Z",
  "-type": "Type, Z to A",
  validFrom: "Valid from, earliest first",
  "-validFrom": "Valid from, latest first",
  validUntil: "Valid until, earliest first",
  "-validUntil": "Valid until, latest first",
} as const;

/** Rows per page. The registry returns at most 100, so the page never shows more. */
export const pageSizes = ["20", "50", "100"] as const;

export interface ListState extends FilterState {
  readonly q: string;
  readonly sort: string;
  readonly limit: string;
  /** The cursor of this page, and those of the pages before it, the nearest last. */
  readonly cursor: string;
  readonly before: readonly string[];
  readonly page: string;
}

/** Every change of filters or order goes back to the first page. */
export const firstPage = { cursor: "", before: [], page: "1" } as const;
export const listDefaults: { readonly [Name in keyof ListState]: ListState[Name] } = {
  ...noFilters,
  ...firstPage,
  q: "",
  sort: "",
  limit: "20",
};
/** The state without any filter and search; order and page size stay. */
export const withoutFilters: Partial<ListState> = { ...noFilters, ...firstPage, q: "" };

export const search = { name: "q", label: "Search domains", placeholder: "Name, type, description, id" } as const;

/** @param types names of the known types. */
export function choicesOf({ q, sort }: ListState, types: readonly string[]): readonly FilterChoice<keyof ListState>[] {
  const chosen = rows.flatMap(({ name, label, choices }) => {
    if (choices === undefined) return [];
    const options = name === "type" ? types.map((type) => [type, typeName(type)] as const) : Object.entries(choices);
    return [{ name, label, any: "Any", options }];
  });
  // Newest first is the usual order, except for a search.
  const offered = Object.entries(orders).filter(([order]) => q !== "" || order !== "-createdAt" || order === sort);
  const usual = q === "" ? orders["-createdAt"] : "Best match first";
  return [...chosen, { name: "sort", label: "Order", any: usual, options: offered }];
}

export const typedFilters: readonly TypedFilter<FilterName>[] = rows
  .filter(({ choices, typedLabel }) => choices === undefined || typedLabel !== undefined)
  .map(({ name, kind, label, typedLabel = label, hint }) => ({
    name,
    label: typedLabel,
    type: kind === "date" ? "date" : "text",
    ...(hint === undefined ? {} : { hint }),
  }));

/** The order that a search keeps: without a search, the registry refuses `relevance`. */
export function orderFor({ sort }: ListState, { q }: Partial<ListState>): Partial<ListState> {
  return q === "" && sort.endsWith("relevance") ? { sort: "" } : {};
}

export function queryOf(state: ListState): ListQuery {
  const texts = ["q", "sort", "cursor"] as const;
  const entered = [...texts, ...rows.map(({ name }) => name)].flatMap((name) => {
    const value = state[name];
    const sent = typeof value === "string" ? value.trim() : value;
    return sent.length === 0 ? [] : [[name, sent] as const];
  });
  const limit = Number(pageSizes.find((size) => size === state.limit) ?? listDefaults.limit);
  return { ...(Object.fromEntries(entered) as ListQuery), limit, count: "true" };
}

export interface Chip {
  readonly name: FilterName;
  readonly label: string;
  readonly value: string;
  readonly words: string;
  /** The state without this filter. */
  readonly without: Partial<ListState>;
}

/** Each value of each active filter. */
export function chipsOf(state: ListState): readonly Chip[] {
  return rows.flatMap(({ name, label, choices = {}, words = (value) => choices[value] ?? value }) => {
    const held: string | readonly string[] = state[name];
    const values = typeof held === "string" ? [held].filter((value) => value !== "") : held;
    return values.map((value) => {
      const left = typeof held === "string" ? "" : held.filter((other) => other !== value);
      return { name, label, value, words: words(value), without: { ...firstPage, [name]: left } };
    });
  });
}

export function isFiltered(state: ListState): boolean {
  return state.q.trim() !== "" || chipsOf(state).length > 0;
}

/** Cursors of earlier pages kept in the address. Without a limit, it would grow with each page. */
export const REMEMBERED_PAGES = 8;

/** The value of `before` for the first page, which has no cursor. */
const FIRST = "first";

export function nextPage(state: ListState, nextCursor: string): Partial<ListState> {
  return {
    cursor: nextCursor,
    before: [...state.before, state.cursor === "" ? FIRST : state.cursor].slice(-REMEMBERED_PAGES),
    page: String(pageNumber(state) + 1),
  };
}

/** Undefined if the address does not contain the previous page. */
export function previousPage(state: ListState): Partial<ListState> | undefined {
  const page = pageNumber(state);
  const cursor = state.before.at(-1);
  if (page === 1 || cursor === undefined) return undefined;
  return { cursor: cursor === FIRST ? "" : cursor, before: state.before.slice(0, -1), page: String(page - 1) };
}

export function pageNumber({ page }: ListState): number {
  return /^[1-9]\d{0,6}$/.test(page) ? Number(page) : 1;
}

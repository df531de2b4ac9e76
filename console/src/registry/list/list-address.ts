/** What the address of the list says: filters, search, order and page, and the request that they make. Pure. */
import type { operations } from "../../api/paths.d.ts";

export type ListQuery = NonNullable<operations["listDomains"]["parameters"]["query"]>;

export const statuses = ["active", "suspended", "deactivated"] as const;
export const verificationStatuses = ["AwaitingVerification", "UnderVote", "Verified", "Rejected", "Revoked"] as const;
export const sorts = [
  "-createdAt",
  "createdAt",
  "-updatedAt",
  "updatedAt",
  "name",
  "-name",
  "type",
  "-type",
  "validFrom",
  "-validFrom",
  "validUntil",
  "-validUntil",
] as const;
/** Rows on a page. The registry answers at most 100, so the page never holds more. */
export const pageSizes = ["20", "50", "100"] as const;

/** Names as in `GET /v1/domains`. */
export const listDefaults = {
  q: "",
  type: [],
  class: [],
  controller: [],
  owner: [],
  relayerNode: [],
  externalId: [],
  status: [],
  verificationStatus: [],
  validAt: "",
  createdFrom: "",
  createdTo: "",
  updatedFrom: "",
  updatedTo: "",
  sort: "",
  limit: "20",
  /** Of this page, and of the pages before it, the nearest last. */
  cursor: "",
  before: [],
  page: "1",
} as const satisfies Readonly<Record<string, string | readonly string[]>>;

export type ListState = {
  readonly [Name in keyof typeof listDefaults]: (typeof listDefaults)[Name] extends string ? string : readonly string[];
};

export const manyFilters = [
  "type",
  "class",
  "controller",
  "owner",
  "relayerNode",
  "externalId",
  "status",
  "verificationStatus",
] as const;
export const oneFilters = ["validAt", "createdFrom", "createdTo", "updatedFrom", "updatedTo"] as const;
export type ManyFilter = (typeof manyFilters)[number];
export type FilterName = ManyFilter | (typeof oneFilters)[number];

/** Cursors of earlier pages that the address keeps. With more it would grow with each page. */
export const REMEMBERED_PAGES = 8;

/** Stands in `before` for the first page, which has no cursor. */
const FIRST = "first";

/** Every change of filters or order goes back to the first page. */
export const firstPage = { cursor: "", before: [], page: "1" } as const;

export function queryOf(state: ListState): ListQuery {
  const entries: [string, string | readonly string[]][] = [];
  for (const name of ["q", "sort", "cursor", ...oneFilters] as const)
    if (state[name].trim() !== "") entries.push([name, state[name].trim()]);
  for (const name of manyFilters) if (state[name].length > 0) entries.push([name, state[name]]);
  return { ...(Object.fromEntries(entries) as ListQuery), limit: limitOf(state), count: "true" };
}

function limitOf({ limit }: ListState): number {
  return Number(pageSizes.find((size) => size === limit) ?? listDefaults.limit);
}

export interface Chip {
  readonly name: FilterName;
  readonly value: string;
  /** The state without it. */
  readonly without: Partial<ListState>;
}

export function chipsOf(state: ListState): readonly Chip[] {
  return [
    ...manyFilters.flatMap((name) =>
      state[name].map((value) => ({
        name,
        value,
        without: { ...firstPage, [name]: state[name].filter((other) => other !== value) },
      })),
    ),
    ...oneFilters
      .filter((name) => state[name] !== "")
      .map((name) => ({ name, value: state[name], without: { ...firstPage, [name]: "" } })),
  ];
}

/** The state without any filter and search; order and page size stay. */
export const withoutFilters: Partial<ListState> = {
  ...firstPage,
  q: "",
  ...Object.fromEntries(manyFilters.map((name) => [name, []])),
  ...Object.fromEntries(oneFilters.map((name) => [name, ""])),
};

export function isFiltered(state: ListState): boolean {
  return state.q.trim() !== "" || chipsOf(state).length > 0;
}

export function nextPage(state: ListState, nextCursor: string): Partial<ListState> {
  return {
    cursor: nextCursor,
    before: [...state.before, state.cursor === "" ? FIRST : state.cursor].slice(-REMEMBERED_PAGES),
    page: String(pageNumber(state) + 1),
  };
}

/** Undefined where the address does not say what the page before was. */
export function previousPage(state: ListState): Partial<ListState> | undefined {
  const page = pageNumber(state);
  const cursor = state.before.at(-1);
  if (page === 1 || cursor === undefined) return undefined;
  return { cursor: cursor === FIRST ? "" : cursor, before: state.before.slice(0, -1), page: String(page - 1) };
}

export function pageNumber({ page }: ListState): number {
  return /^[1-9]\d{0,6}$/.test(page) ? Number(page) : 1;
}

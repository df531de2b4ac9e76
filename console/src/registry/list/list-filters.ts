/** By what the list of domains is searched, filtered and ordered. */
import type { TypedFilter } from "../../kit/filter-form.tsx";
import { typeName } from "../../texts/domain-types.ts";
import { registryTexts } from "../../texts/registry.ts";
import { oneFilters, sorts, statuses, verificationStatuses, type FilterName, type ListState } from "./list-address.ts";

const { any, filters, filterHints } = registryTexts;

export const search = { name: "q", label: registryTexts.search, placeholder: registryTexts.searchHint } as const;

/** @param types names of the known types. */
export function choicesOf({ q, sort: order }: ListState, types: readonly string[]) {
  return [
    { name: "type", label: filters.type, any, options: types.map((type) => [type, typeName(type)] as const) },
    {
      name: "verificationStatus",
      label: filters.verificationStatus,
      any,
      options: verificationStatuses.map((status) => [status, registryTexts.verification[status]] as const),
    },
    {
      name: "status",
      label: filters.status,
      any,
      options: statuses.map((status) => [status, registryTexts.status[status]] as const),
    },
    {
      name: "sort",
      label: registryTexts.sort,
      any: registryTexts.sorts[q === "" ? "" : "relevance"],
      options: sorts
        .filter((sort) => q !== "" || sort !== "-createdAt" || sort === order)
        .map((sort) => [sort, registryTexts.sorts[sort]] as const),
    },
  ] as const;
}

export const typedFilters: readonly TypedFilter<FilterName>[] = [
  { name: "type", label: registryTexts.anyType, hint: filterHints.type },
  ...(["class", "controller", "owner", "relayerNode", "externalId"] as const).map((name) => ({
    name,
    label: filters[name],
    hint: filterHints[name],
  })),
  ...oneFilters.map((name) => ({ name, label: filters[name], type: "date" }) as const),
];

/** The order that stays with a search: without one, the registry refuses `relevance`. */
export function orderFor({ sort }: ListState, { q }: Partial<ListState>): Partial<ListState> {
  return q === "" && sort.endsWith("relevance") ? { sort: "" } : {};
}

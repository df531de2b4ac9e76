/** Queries that work on a fresh system. */
import type { Catalogue } from "./gateway-catalogue.ts";
import { type QueryForm, emptyForm } from "./query-form.ts";

const titles = {
  entities: "First ten entities",
  token: "Token parameters",
  claims: "Claims, two on a page",
  node: "Chain and node",
  block: "Latest block",
  legacy: "Claims by an older path",
};

export interface ExampleQuery {
  readonly title: string;
  readonly form: QueryForm;
}

const all: readonly ExampleQuery[] = [
  {
    title: titles.entities,
    form: {
      ...emptyForm,
      path: "/ixo/entity",
      values: { "pagination.limit": ["10"], "pagination.count_total": ["true"] },
    },
  },
  { title: titles.token, form: { ...emptyForm, path: "/ixo/token/params" } },
  {
    title: titles.claims,
    form: { ...emptyForm, path: "/ixo/claims/claims", values: { "pagination.limit": ["2"] } },
  },
  { title: titles.node, form: { ...emptyForm, path: "/cosmos/base/tendermint/v1beta1/node_info" } },
  { title: titles.block, form: { ...emptyForm, path: "/cosmos/base/tendermint/v1beta1/blocks/latest" } },
  { title: titles.legacy, form: { ...emptyForm, path: "/ixo/claim" } },
];

/** Those that this gateway serves; all of them until that is known. */
export function examplesOf(catalogue: Catalogue, isLoading: boolean): readonly ExampleQuery[] {
  return isLoading ? all : all.filter(({ form }) => catalogue.find(form.path) !== undefined);
}

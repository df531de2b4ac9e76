/** The order of search results. */
import { expect, test } from "vitest";
import type { QueryPath } from "./gateway-catalogue.ts";
import { searchPaths } from "./path-search.ts";

const path = (address: string, name: string, successor?: string): QueryPath => ({
  path: address,
  name,
  method: "GET",
  parameters: [],
  takesBody: false,
  access: "none",
  ...(successor !== undefined && { successor }),
});
const paths = [
  path("/cosmos/bank/v1beta1/params", "cosmos.bank.v1beta1.Query/Params"),
  path("/ixo/entity/{id}", "ixo.entity.v1beta1.Query/Entity"),
  path("/ixo/entity", "ixo.entity.v1beta1.Query/EntityList"),
  path("/ixo/entity/params", "ixo.entity.v1beta1.Query/Params"),
  path("/ixo/entity/config", "ixo.entity.v1beta1.Query/Params", "/ixo/entity/params"),
];

test.each([
  ["", ["/ixo/entity/{id}", "/ixo/entity", "/ixo/entity/params", "/cosmos/bank/v1beta1/params", "/ixo/entity/config"]],
  ["/ixo/entity", ["/ixo/entity", "/ixo/entity/{id}", "/ixo/entity/params", "/ixo/entity/config"]],
  ["params entity", ["/ixo/entity/params", "/ixo/entity/config"]],
  ["PARAMS", ["/ixo/entity/params", "/cosmos/bank/v1beta1/params", "/ixo/entity/config"]],
  ["entitylist", ["/ixo/entity"]],
  ["nothing", []],
])("%j finds in this order [CN-152]", (typed, found) => {
  expect(searchPaths(paths, typed).map((each) => each.path)).toEqual(found);
});

/** The screen sends only paths that the server routes to the query gateway. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { ownerOf, surfaces } from "../../../workers/surfaces.ts";
import { isQueryPath } from "./query-paths.ts";

const owned = surfaces.flatMap(({ paths }) => paths.map((path) => path.replace("/*", "")));
const shared = [
  "/",
  "/health",
  "/healthz",
  "/docs",
  "/docs-json",
  "/openapi.json",
  "/openapi",
  "/console",
  "/staff",
  "/metrics",
];
const queries = ["/cosmos/bank/v1beta1/params", "/v1beta1", "/consoles", "/ixo/entity"];

test("a path is a query if the server's own table routes it to the gateway [CN-190]", () => {
  const begin = fc.constantFrom(...owned, ...shared, ...queries, "");
  const rest = fc.constantFrom("", "/", "/x", "x", "//", "/development-sign-in", "/api-keys");
  fc.assert(
    fc.property(begin, rest, (first, second) => {
      const path = `${first}${second}`;
      expect([path, isQueryPath(path)]).toEqual([path, ownerOf(path) === "query-gateway"]);
    }),
    { numRuns: 2_000 },
  );
});

import { expect, test } from "vitest";
import { ownerOf } from "./surfaces.ts";

test.each([
  ["/", "shared"],
  ["/health", "shared"],
  ["/health/", "shared"],
  ["/docs", "shared"],
  ["/docs/swagger-ui.css", "shared"],
  ["/docs-json", "shared"],
  ["/openapi.json", "shared"],
  ["/openapi/oracle.json", "shared"],
  ["/console", "shared"],
  ["/console/registry/did:ixo:1", "shared"],
  ["/.well-known/did.json", "oracle"],
  ["/sessions", "oracle"],
  ["/sessions/", "oracle"],
  ["/messages/abort", "oracle"],
  ["/socket.io/", "oracle"],
  ["/v1/domains", "registry"],
  ["/graphql", "registry"],
  ["/1.0/identifiers/did:ixo:1", "registry"],
  ["/api/ussd", "ussd"],
  ["/api/ussd/sessions", "ussd"],
  ["/ixo/entity/1", "query-gateway"],
])("the path %s belongs to %s [ALL-1]", (path, owner) => {
  expect(ownerOf(path)).toBe(owner);
});

test.each([
  "/sessionsx",
  "/v10/domains",
  "//sessions",
  "/api/ussdx",
  "/healthy",
  "/Sessions",
  "/%73essions",
  "/docsx",
  "/consoles",
])("no surface owns the path %s, so the query gateway does", (path) => {
  expect(ownerOf(path)).toBe("query-gateway");
});

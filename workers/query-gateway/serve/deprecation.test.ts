/** `Deprecation` and `Link` on older paths: the current path of the request, with the bound values and the query. */
import { expect, test } from "vitest";
import { entitiesInNode } from "../../../test/support/query-gateway/entities-in-node.ts";
import { gatewayEdge } from "../../../test/support/query-gateway/gateway-edge.ts";
import { fixtureImage, ixoImage } from "../../../test/support/query-gateway/gateway-fixture.ts";
import { LINK_LENGTH_MAX } from "./deprecation.ts";

const SUPPLY = "cosmos.bank.v1beta1.Query/SupplyOf";
const METADATA = "cosmos.bank.v1beta1.Query/DenomMetadata";

function edge(extra: readonly object[], more: object = {}, image = ixoImage()) {
  const deployment = { legacyPrefixes: ["old"], aliases: { extra }, ...more };
  return gatewayEdge({ image, source: entitiesInNode(), deployment });
}

async function linkOf(line: string, extra: readonly object[] = [], more: object = {}, image = ixoImage()) {
  const { headers } = await edge(extra, more, image).ask(line);
  const target = /^<(.*)>; rel="successor-version"$/.exec(headers.get("Link") ?? "")?.[1];
  return { deprecated: headers.has("Deprecation"), target };
}

test.each([
  ["/old/entity?pagination.limit=2&pagination.reverse=true", "/ixo/entity?pagination.limit=2&pagination.reverse=true"],
  ["/ixo/claim?pagination.key=AQI%2B", "/ixo/claims/claims?pagination.key=AQI%2B"],
  ["/ixo/claim/claim-1?x=<b>", "/ixo/claims/claim/claim-1?x=%3Cb%3E"],
  ["/ixo/claim/claim-1?id=other&x=1", "/ixo/claims/claim/claim-1?x=1"],
  ["/ixo/claim/claim-1?", "/ixo/claims/claim/claim-1"],
])("%s is now %s [QG-42]", async (path, target) => {
  expect(await linkOf(path)).toEqual({ deprecated: true, target });
});

test("values that only the older path binds move into the query [QG-42]", async () => {
  const alias = { path: "/supply/{d}", method: SUPPLY, params: { d: "denom" }, deprecated: true };
  expect(await linkOf("/supply/ibc%2F27?x=1&denom=other", [alias])).toEqual({
    deprecated: true,
    target: "/cosmos/bank/v1beta1/supply/by_denom?denom=ibc%2F27&x=1",
  });
  expect(await linkOf("/m/supply/uixo", [alias], { match: { mount: "/m" } })).toMatchObject({
    target: "/m/cosmos/bank/v1beta1/supply/by_denom?denom=uixo",
  });
});

test("sends no link rather than a wrong one", async () => {
  const lacking = { path: "/metadata", method: METADATA, deprecated: true };
  expect(await linkOf("/metadata?denom=uixo", [lacking])).toEqual({ deprecated: true, target: undefined });
  const posted = { path: "/posts/{id}", method: "gwtest.v1.T/Post", deprecated: true };
  const image = fixtureImage();
  const images = { sets: ["ixo"] };
  expect(await linkOf("POST /posts/x?%zz", [posted], images, image)).toEqual({ deprecated: true, target: undefined });
});

test.each([
  [LINK_LENGTH_MAX, true],
  [LINK_LENGTH_MAX + 1, false],
])("a link of %i characters is sent: %s [QG-42]", async (length, isSent) => {
  const start = "/ixo/claims/claims?x=";
  const { deprecated, target } = await linkOf(`/ixo/claim?x=${"a".repeat(length - start.length)}`);
  expect([deprecated, target?.length]).toEqual([true, isSent ? length : undefined]);
});

test("an operator's own alias is not deprecated unless configured [QG-17]", async () => {
  const alias = { path: "/who/{id}", method: "ixo.iid.v1beta1.Query/IidDocument" };
  const { ask } = edge([alias]);
  const { headers } = await ask("/who/did:ixo:nobody");
  expect([headers.has("Deprecation"), headers.has("Link")]).toEqual([false, false]);
  expect(await linkOf("/who/did:ixo:nobody", [{ ...alias, deprecated: true }])).toEqual({
    deprecated: true,
    target: "/ixo/did/dids/did%3Aixo%3Anobody",
  });
});

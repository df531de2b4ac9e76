import { expect, test } from "vitest";
import { fixtureImage } from "../../../test/support/query-gateway/gateway-fixture.ts";
import { callOf, nodeAt, outcomeOf, upstreamOver } from "../../../test/support/query-gateway/upstream-calls.ts";
import type { NodeKind } from "./upstream.ts";

const image = fixtureImage();
const hostile = [
  "//evil.test/x",
  "@evil.test",
  "http://evil.test",
  "\\\\evil.test",
  "..",
  "a#b",
  "a?b",
  "\r\nHost: evil",
];

test.each<NodeKind>(["grpc-web", "lcd", "abci-query"])(
  "no part of a request reaches the scheme, host or port of a node of kind %s, and no redirect is followed [QG-72, QG-77]",
  async (kind) => {
    const asked: { readonly url: URL; readonly init: RequestInit }[] = [];
    const fetch = async (url: string, init: RequestInit) => {
      asked.push({ url: new URL(url), init });
      return new Response(null, { status: 307, headers: { Location: "http://evil.test/" } });
    };
    const node = nodeAt("https://node.test:8443/below", { kind });
    for (const id of hostile) {
      const upstream = upstreamOver([node], { retries: 0 }, { fetch });
      const outcome = await outcomeOf(upstream, callOf(image, "Do", { id, rs: [id], m: { [id]: id } }));
      // A path of this kind cannot contain slashes and dots, so the node is not called.
      const isSent = kind !== "lcd" || !/[/]|^\.\.$/.test(id);
      expect(outcome).toMatchObject(isSent ? { status: 502, code: 14 } : { status: 501, code: 12 });
    }
    expect(asked.length).toBe(kind === "lcd" ? 5 : hostile.length);
    for (const { url, init } of asked) {
      expect([url.origin, url.username, url.hash]).toEqual(["https://node.test:8443", "", ""]);
      expect(url.pathname).toMatch(/^\/below(?:\/|$)/);
      expect(init).toMatchObject({ redirect: "manual" });
    }
  },
);

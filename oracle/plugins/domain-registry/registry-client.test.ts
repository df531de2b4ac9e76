/** The client over HTTP: the real registry on a local port, and servers that misbehave. */
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, describe, expect, test } from "vitest";
import * as z from "zod";
import { registryEdge } from "../../../test/support/registry/registry-edge.ts";
import { registryInNode } from "../../../test/support/registry/registry-in-node.ts";
import { runtimeContext } from "../../../test/support/plugins/small-plugins.ts";
import { createDomainRegistryPlugin } from "./plugin.ts";
import { ANSWER_BYTES, createRegistryClient, REGISTRY_TIMEOUT_MS } from "./registry-client.ts";

const stops: (() => void)[] = [];
afterEach(() => {
  for (const stop of stops.splice(0)) stop();
});

async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  stops.push(() => {
    server.close();
    server.closeAllConnections();
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", () => listening()));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

function askAt(base: string, signal = new AbortController().signal) {
  const client = createRegistryClient({ base, key: "a-key", fetch: (request) => fetch(request) });
  return client.get("/v1/domains", z.object({ data: z.array(z.string()) }), {
    abortSignal: signal,
    user: { did: "did:key:zUser" },
  });
}

test("the tools over HTTP, at REGISTRY_URL with a key [OR-385]", async () => {
  const edge = registryEdge({ DATABASE: registryInNode().d1 });
  const key = await edge.keyOf("did:web:reader.test", ["domains:write"]);
  const body = { type: "Project", protocol: "did:ixo:protocol/x", metadata: { name: "Chui" } };
  const did = String((await edge.ask("POST", "/v1/domains", { key, body })).body.id);
  const pass = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const headers = { Authorization: request.headers.authorization ?? "" };
    const answer = await edge.send(new Request(`https://registry.test${request.url ?? ""}`, { headers }));
    response.writeHead(answer.status, Object.fromEntries(answer.headers)).end(await answer.text());
  };
  const url = await serve((request, response) => void pass(request, response));
  const plugin = createDomainRegistryPlugin();
  const context = runtimeContext();
  const env = Object.assign({ ...context.env }, { REGISTRY_URL: `${url}/`, REGISTRY_READ_KEY: key });
  const call = (name: string, args: object) =>
    plugin.tools?.find((each) => each.name === name)?.handler(args, { ...context, env, toolCallId: "tc_1" });
  expect(await call("search_domains", { query: "chui" })).toMatchObject([{ did, name: "Chui", verified: false }]);
  expect(await call("get_domain_card", { did })).toMatchObject({ did, verified: false });
  expect(await call("explain_verification", { did })).toMatchObject({
    did,
    verified: false,
    missing: ["A proposal to verify it.", "The registry has no voters yet: its operator must enrol some."],
  });
});

describe("the model's texts for an invalid answer of the registry [OR-391]", () => {
  test.each([
    [401, {}, /refuses this oracle's key/],
    [403, {}, /refuses this oracle's key/],
    [400, {}, /rejected the query/],
    [429, { "Retry-After": "17" }, /ask again in 17 seconds/],
    [429, { "Retry-After": "<script>" }, /ask again in a minute/],
    [500, {}, /cannot be reached/],
    [302, { Location: "http://127.0.0.1:1/" }, /cannot be reached/],
  ])("status %i", async (status, headers, sentence) => {
    const url = await serve((_request, response) => void response.writeHead(status, headers).end("secret details"));
    const answer = await askAt(url);
    expect(answer).toEqual({ ok: false, error: expect.stringMatching(sentence) });
    expect(JSON.stringify(answer)).not.toContain("secret details");
  });

  test("no server, no JSON, another form", async () => {
    expect(await askAt("http://127.0.0.1:1")).toMatchObject({
      ok: false,
      error: expect.stringMatching(/cannot be reached/),
    });
    for (const text of ["<html>", '{"data":[1]}', ""]) {
      const url = await serve((_request, response) => void response.end(text));
      expect(await askAt(url)).toMatchObject({ ok: false, error: expect.stringMatching(/invalid answer/) });
    }
  });

  test("an answer has at most 1 MiB, whatever length it declares, and eight seconds", async () => {
    expect([ANSWER_BYTES, REGISTRY_TIMEOUT_MS]).toEqual([1_048_576, 8_000]);
    const filled = (bytes: number) => `{"data":["${"a".repeat(bytes - 13)}"]}`;
    const urls = await Promise.all(
      [ANSWER_BYTES, ANSWER_BYTES + 1].map((bytes) => serve((_request, response) => void response.end(filled(bytes)))),
    );
    expect(await askAt(urls[0] ?? "")).toMatchObject({ ok: true });
    expect(await askAt(urls[1] ?? "")).toMatchObject({ ok: false, error: expect.stringMatching(/too large/) });
  });

  test("stopping a turn aborts the request, and there is no answer", async () => {
    const stopped = new AbortController();
    const url = await serve(() => stopped.abort(new Error("stopped")));
    await expect(askAt(url, stopped.signal)).rejects.toThrow("stopped");
  });

  test("a redirect is not followed, so that the key is not sent elsewhere", async () => {
    let followed = 0;
    const elsewhere = await serve((_request, response) => void response.end(String((followed += 1))));
    const url = await serve((_request, response) => void response.writeHead(307, { Location: elsewhere }).end());
    expect(await askAt(url)).toMatchObject({ ok: false });
    expect(followed).toBe(0);
  });
});

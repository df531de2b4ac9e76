/** Finding an oracle's address from the services of its DID. */
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { startLocalServer } from "../../../test/support/server/local-server.ts";
import { BODY_SILENCE_MS, OfflineError, RequestError } from "./errors.ts";
import { discoverEndpoints, readOracleDid, serviceUrls } from "./discovery.ts";

const oracleDid = "did:ixo:entity:0123456789abcdef0123456789abcdef";
const services = [
  { id: "{id}#ws", type: "other", serviceEndpoint: "wss://sockets.test/path" },
  { id: "{id}#x", type: "oracleService", serviceEndpoint: "https://api.test/v1?x=1" },
];

/** Answers with these bodies in turn, and records the requests. */
function peer(...bodies: readonly unknown[]) {
  const asked: { readonly url: string; readonly init: RequestInit | undefined }[] = [];
  const fetchNow = async (input: URL | RequestInfo, init?: RequestInit) => {
    asked.push({ url: String(input), init });
    const body = bodies[asked.length - 1];
    if (body instanceof Error) throw body;
    return body instanceof Response ? body : Response.json(body);
  };
  return { asked, fetch: fetchNow };
}

describe("an oracle's addresses [SD-19]", () => {
  test("are the application's, without a request", async () => {
    const { asked, fetch } = peer();
    const both = { oracleDid, baseUrl: "http://a.test/x", wsUrl: "http://b.test", fetch };
    expect(await discoverEndpoints(both)).toEqual({ apiUrl: "http://a.test/x", socketUrl: "http://b.test" });
    expect(await discoverEndpoints({ oracleDid, baseUrl: "http://a.test", fetch })).toEqual({
      apiUrl: "http://a.test",
    });
    expect(asked).toEqual([]);
  });

  test("are the origins of its services, by type and else by fragment", () => {
    expect(serviceUrls(services)).toEqual({ apiUrl: "https://api.test", socketUrl: "wss://sockets.test" });
    expect(serviceUrls([{ id: `${oracleDid}#api`, type: "x", serviceEndpoint: "https://c.test/" }])).toEqual({
      apiUrl: "https://c.test",
    });
    expect(serviceUrls([{ id: "#api", type: "x", serviceEndpoint: "nowhere" }])).toEqual({});
  });

  test("come from a registry", async () => {
    const { asked, fetch } = peer({ service: services }, { didDocument: { service: services } });
    const options = { oracleDid, registryUrl: "https://registry.test/", graphqlUrl: "https://index.test", fetch };
    const found = { apiUrl: "https://api.test", socketUrl: "wss://sockets.test" };
    expect(await discoverEndpoints(options)).toEqual(found);
    expect(await discoverEndpoints({ ...options, wsUrl: "https://mine.test" })).toEqual({
      ...found,
      socketUrl: "https://mine.test",
    });
    expect(asked[0]?.url).toBe(`https://registry.test/1.0/identifiers/${encodeURIComponent(oracleDid)}`);
  });

  test("else from an index of entities", async () => {
    const { asked, fetch } = peer({ data: { entity: { service: [null, ...services] } } });
    expect(await discoverEndpoints({ oracleDid, graphqlUrl: "https://index.test/graphql", fetch })).toEqual({
      apiUrl: "https://api.test",
      socketUrl: "wss://sockets.test",
    });
    expect(asked[0]?.url).toBe("https://index.test/graphql");
    expect(JSON.parse(String(asked[0]?.init?.body))).toMatchObject({ variables: { id: oracleDid } });
  });
});

test("the error for an oracle that cannot be found names the reason [SD-20]", async () => {
  const graphqlUrl = "https://index.test/graphql?key=secret";
  const from = async (body: unknown) => {
    const { fetch } = peer(body);
    return discoverEndpoints({ oracleDid, graphqlUrl, fetch }).catch((error: unknown) => error);
  };
  expect(await from({ data: { entity: null } })).toMatchObject({ message: expect.stringContaining(oracleDid) });
  expect(await from(new Response("", { status: 404 }))).toBeInstanceOf(RequestError);
  const offline = await from(new TypeError("fetch failed"));
  expect(offline).toBeInstanceOf(OfflineError);
  expect(String(offline)).not.toContain("secret");
  await expect(readOracleDid("https://a.test", peer({ id: 7 }).fetch)).rejects.toThrow("https://a.test");
});

test.each(["before its answer begins", "in the middle of it"])(
  "a look-up that stalls %s ends after 30 seconds [SD-283]",
  async (when) => {
    let isAsked: () => void = () => undefined;
    const asked = new Promise<void>((resolve) => void (isAsked = resolve));
    const { origin, close } = await startLocalServer((_request, _body, response) => {
      if (when === "in the middle of it") response.writeHead(200).flushHeaders();
      else isAsked();
    });
    onTestFinished(close);
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    onTestFinished(() => void vi.useRealTimers());
    const fetchNow: typeof fetch = async (...words) => {
      const response = await fetch(...words);
      isAsked();
      return response;
    };
    const looking = readOracleDid(origin, fetchNow).catch((error: unknown) => error);
    await asked;
    await vi.advanceTimersByTimeAsync(BODY_SILENCE_MS);
    expect(await looking).toBeInstanceOf(OfflineError);
  },
);

/**
 * Discovery of the sign-in from servers' metadata: which statements are accepted, and which are refused before a browser goes
 * there.
 */
import { describe, expect, test } from "vitest";
import { discoverAuthorization } from "./oauth-discovery.ts";
import { ANSWER_BYTES, NoAnswer, REQUEST_MS, signInFetch } from "./oauth-fetch.ts";

const SERVER = "https://mcp.example/calendar";
const ISSUER = "https://login.example";
const RESOURCE_AT = "https://mcp.example/.well-known/oauth-protected-resource/calendar";
const METADATA_AT = `${ISSUER}/.well-known/oauth-authorization-server`;
const OPENID_AT = `${ISSUER}/.well-known/openid-configuration`;

const resource = { resource: SERVER, authorization_servers: [ISSUER], scopes_supported: ["read", "write"] };
const metadata = {
  issuer: ISSUER,
  authorization_endpoint: `${ISSUER}/authorize`,
  token_endpoint: `${ISSUER}/token`,
  response_types_supported: ["code"],
  code_challenge_methods_supported: ["S256"],
};
const openId = {
  ...metadata,
  jwks_uri: `${ISSUER}/jwks`,
  subject_types_supported: ["public"],
  id_token_signing_alg_values_supported: ["ES256"],
};

type Answers = Readonly<Record<string, object | number>>;

function web(answers: Answers) {
  const asked: string[] = [];
  const send = async (url: URL): Promise<Response> => {
    asked.push(url.href);
    const answer = answers[url.href] ?? 404;
    if (typeof answer === "number") return new Response(null, { status: answer });
    return Response.json(answer);
  };
  return { asked, fetch: signInFetch(SERVER, send) };
}

const discover = (answers: Answers, challenge = {}) => discoverAuthorization(SERVER, challenge, web(answers).fetch);

describe("discovery", () => {
  test("reads the server's metadata, then its authorization server's [OR-304]", async () => {
    expect(await discover({ [RESOURCE_AT]: resource, [METADATA_AT]: metadata })).toEqual({
      ok: true,
      value: {
        issuer: ISSUER,
        authorizationEndpoint: `${ISSUER}/authorize`,
        tokenEndpoint: `${ISSUER}/token`,
        namesIssuer: false,
        readsClientDocuments: false,
        resource: SERVER,
        scope: "read write",
      },
    });
  });

  test("reads the address in the server's 401, for the scope that it named", async () => {
    const resourceMetadata = "https://mcp.example/where";
    const found = await discover(
      { [resourceMetadata]: resource, [METADATA_AT]: { ...metadata, scopes_supported: ["read", "offline_access"] } },
      { resourceMetadata, scope: "read" },
    );
    expect(found).toMatchObject({ ok: true, value: { scope: "read offline_access" } });
  });

  test("reads OpenID Connect metadata if nothing else exists", async () => {
    expect(await discover({ [RESOURCE_AT]: resource, [OPENID_AT]: openId })).toMatchObject({
      ok: true,
      value: { issuer: ISSUER },
    });
  });

  test("treats a server without metadata as its own authorization server, as the first protocol version did", async () => {
    const issuer = "https://mcp.example";
    const own = {
      ...metadata,
      issuer,
      token_endpoint: `${issuer}/token`,
      authorization_endpoint: `${issuer}/authorize`,
    };
    expect(await discover({ [`${issuer}/.well-known/oauth-authorization-server`]: own })).toMatchObject({
      ok: true,
      value: { issuer, resource: SERVER },
    });
  });

  test.each([
    ["no_pkce", { ...metadata, code_challenge_methods_supported: undefined }],
    ["no_pkce", { ...metadata, code_challenge_methods_supported: [] }],
    ["no_pkce", { ...metadata, code_challenge_methods_supported: ["plain"] }],
    ["wrong_issuer", { ...metadata, issuer: "https://evil.example" }],
    ["insecure", { ...metadata, token_endpoint: "http://login.example/token" }],
    ["insecure", { ...metadata, registration_endpoint: "http://login.example/register" }],
    ["unreachable", 503],
    ["no_sign_in", 404],
  ])("refuses with %s %j [OR-304]", async (problem, answer) => {
    expect(await discover({ [RESOURCE_AT]: resource, [METADATA_AT]: answer })).toEqual({ ok: false, error: problem });
  });

  test("never sends a browser to a non-web address [OR-304]", async () => {
    const answer = { ...metadata, authorization_endpoint: "javascript:alert(1)" };
    expect(await discover({ [RESOURCE_AT]: resource, [METADATA_AT]: answer })).toMatchObject({ ok: false });
  });

  test.each([
    ["wrong_resource", { ...resource, resource: "https://bank.example/" }],
    ["wrong_resource", { ...resource, resource: "https://mcp.example/mail" }],
    ["unreachable", 500],
  ])("refuses with %s a server that says %j [OR-304]", async (problem, answer) => {
    expect(await discover({ [RESOURCE_AT]: answer, [METADATA_AT]: metadata })).toEqual({ ok: false, error: problem });
  });
});

describe("untrusted addresses", () => {
  test.each([
    "http://169.254.169.254/latest/meta-data",
    "https://127.0.0.1/",
    "https://[::1]/",
    "https://0x7f.1/",
    "https://10.0.0.8/",
    "https://login.internal/",
    "http://login.example/",
    "https://login.example:22/",
    "file:///etc/passwd",
  ])("nothing is sent to %s [OR-304]", async (resourceMetadata) => {
    const { asked, fetch } = web({});
    expect(await discoverAuthorization(SERVER, { resourceMetadata }, fetch)).toEqual({
      ok: false,
      error: "unreachable",
    });
    const authorization_servers = [
      new URL(resourceMetadata).origin === "null" ? resourceMetadata : new URL(resourceMetadata).origin,
    ];
    const named = web({ [RESOURCE_AT]: { ...resource, authorization_servers } });
    expect(await discoverAuthorization(SERVER, {}, named.fetch)).toMatchObject({ ok: false });
    expect([...asked, ...named.asked].filter((url) => url !== RESOURCE_AT)).toEqual([]);
  });

  test("a request with a code or a token is not redirected, and its answer is limited [OR-304]", async () => {
    const asked: string[] = [];
    const fetch = signInFetch(SERVER, async (url) => {
      asked.push(url.href);
      return new Response("x".repeat(ANSWER_BYTES + 1), {
        status: asked.length === 1 ? 307 : 200,
        headers: { Location: "/b" },
      });
    });
    await expect(fetch("https://login.example/token", { method: "POST", body: "code=c" })).rejects.toBeInstanceOf(
      NoAnswer,
    );
    expect(asked).toEqual(["https://login.example/token"]);
    await expect(fetch("https://login.example/metadata")).rejects.toThrow("too large");
    expect([ANSWER_BYTES, REQUEST_MS]).toEqual([65_536, 10_000]);
  });

  test("a developer's machine may have its authorization server on any port, other servers may not", async () => {
    const asked: string[] = [];
    const send = async (url: URL): Promise<Response> => {
      asked.push(url.href);
      return Response.json({});
    };
    await signInFetch("http://localhost:9/mcp", send)("http://127.0.0.1:4260/token");
    await expect(signInFetch("https://10.0.0.8:9/mcp", send)("http://10.0.0.8:10/token")).rejects.toBeInstanceOf(
      NoAnswer,
    );
    await expect(signInFetch(SERVER, send)("http://127.0.0.1:4260/token")).rejects.toBeInstanceOf(NoAnswer);
    expect(asked).toEqual(["http://127.0.0.1:4260/token"]);
  });
});

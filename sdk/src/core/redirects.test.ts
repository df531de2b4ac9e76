/** A user's tokens never reach another address by a redirect, or an error. */
import { createServer, type IncomingHttpHeaders, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { RequestError } from "./errors.ts";
import { createHttp } from "./http.ts";
import { createTokens } from "./tokens.ts";

async function listening(server: Server): Promise<string> {
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const signed = (serialized: string) => async () => ({ serialized, expiresAt: Date.now() + 900_000 });

function httpAt(apiUrl: string, accessToken = "syt_secret") {
  const creators = { createDelegation: signed("DELEGATION"), createInvocation: signed("INVOCATION") };
  const tokens = createTokens({ userDid: "did:u", oracleDid: "did:o", creators: () => creators, store: null });
  return createHttp({ endpoints: { apiUrl }, tokens, matrix: { accessToken, homeServer: "https://m.test" } });
}

test.each([302, 307, 308])(
  "a redirect by %s is not followed, so that no other address gets a token [SD-29]",
  async (status) => {
    const stolen: IncomingHttpHeaders[] = [];
    const thief = await listening(
      createServer(({ headers }, response) => {
        stolen.push(headers);
        response.end("{}");
      }),
    );
    const oracle = await listening(
      createServer((_request, response) => {
        response.writeHead(status, { location: `${thief}/sessions` }).end();
      }),
    );
    const http = httpAt(oracle);
    for (const request of [http.json("/sessions"), http.json("/sessions", { method: "POST" })]) {
      const error = await request.catch((reason: unknown) => reason);
      expect(error).toBeInstanceOf(RequestError);
      expect(error).toMatchObject({ status, code: "redirected", retryable: false });
    }
    expect(stolen).toEqual([]);
  },
);

test("an invalid header value is refused without quoting it, and does not count as offline [SD-18]", async () => {
  const error = await httpAt("http://127.0.0.1:9", "syt_secret\nline")
    .json("/sessions")
    .catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(TypeError);
  const { message, cause } = error as Error;
  expect([message, String(cause)].join()).not.toContain("syt_secret");
});

test("a body that is not JSON is named, and does not count as offline [SD-17]", async () => {
  const body: { self?: unknown } = {};
  body.self = body;
  await expect(httpAt("http://127.0.0.1:9").json("/sessions", { method: "POST", body })).rejects.toThrow(TypeError);
});

test("a public route gets no token of the wallet [SD-15]", async () => {
  const seen: IncomingHttpHeaders[] = [];
  const oracle = await listening(
    createServer(({ headers }, response) => {
      seen.push(headers);
      response.end("{}");
    }),
  );
  await httpAt(oracle).json("/models", { signed: false });
  expect(Object.values(seen[0] ?? {}).join()).not.toContain("syt_secret");
});

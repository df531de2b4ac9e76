/** Which of a tab's requests are sent, and with which key. */
import { expect, test } from "vitest";
import { ApiFailure } from "./api-failure.ts";
import { createAuthorizedFetch } from "./client.ts";
import { openCredentialStore } from "./credentials.ts";

function client(answer: (path: string) => Response | undefined = () => undefined) {
  const kept = new Map<string, string>();
  const credentials = openCredentialStore({
    storage: {
      getItem: (name) => kept.get(name) ?? null,
      setItem: (name, value) => void kept.set(name, value),
      removeItem: (name) => void kept.delete(name),
    },
  });
  const sent: (readonly [path: string, authorization: string | null])[] = [];
  const send = createAuthorizedFetch(credentials, (request) => {
    const { url, headers } = request as Request;
    sent.push([new URL(url).pathname, headers.get("Authorization")]);
    return Promise.resolve(answer(new URL(url).pathname) ?? new Response("{}"));
  });
  return { credentials, sent, ask: (path: string, init?: RequestInit) => send(`https://edge.test${path}`, init) };
}

test("without a key, only public paths are requested [CN-46]", async () => {
  const { sent, ask } = client();
  for (const path of ["/v1/domains", "/v1/api-keys", "/v1/api-keys/current", "/v1/domains/did:web:a/cards"])
    await expect(ask(path)).rejects.toMatchObject({ name: "ApiFailure", status: 401, code: "not_signed_in" });
  await ask("/v1/domains/did:web:a/card");
  await ask("/graphql");
  await ask("/ixo/entity");
  await ask("/api/ussd/sessions");
  expect(sent.map(([path]) => path)).toEqual([
    "/v1/domains/did:web:a/card",
    "/graphql",
    "/ixo/entity",
    "/api/ussd/sessions",
  ]);
});

test("each path gets its own key, and an explicit one wins [CN-46]", async () => {
  const { credentials, sent, ask } = client();
  credentials.save({ apiKey: "a", operatorToken: "o", phoneOperatorToken: "p" });
  for (const path of ["/v1/domains", "/v1/api-keys", "/api/ussd/ops/stats", "/ixo/entity"]) await ask(path);
  await ask("/v1/domains", { headers: { Authorization: "Bearer other" } });
  expect(sent.map(([, key]) => key)).toEqual(["Bearer a", "Bearer o", "Bearer p", null, "Bearer other"]);
});

test("a key that the registry refuses is not sent again, and every request says why; another key is sent [CN-300]", async () => {
  const { credentials, sent, ask } = client((path) =>
    path === "/v1/voters" ? Response.json({ code: "invalid_token", detail: "No." }, { status: 401 }) : undefined,
  );
  credentials.save({ apiKey: "old", operatorToken: "o" });
  const other = ask("/v1/voters", { headers: { Authorization: "Bearer mistyped" } });
  await expect(other).rejects.toMatchObject({ status: 401, code: "invalid_token" });
  await ask("/v1/domains");
  await expect(ask("/v1/voters")).rejects.toMatchObject({ status: 401, code: "key_ended" });
  await expect(ask("/v1/domains")).rejects.toMatchObject({ status: 401, code: "key_ended" });
  await ask("/v1/api-keys");
  credentials.save({ apiKey: "new" });
  await ask("/v1/domains");
  expect(sent).toEqual([
    ["/v1/voters", "Bearer mistyped"],
    ["/v1/domains", "Bearer old"],
    ["/v1/voters", "Bearer old"],
    ["/v1/api-keys", "Bearer o"],
    ["/v1/domains", "Bearer new"],
  ]);
});

test("a status that is a valid answer of its path is not a failure [CN-45]", async () => {
  const send = createAuthorizedFetch(
    openCredentialStore({ storage: { getItem: () => null, setItem: () => undefined, removeItem: () => undefined } }),
    () => Promise.resolve(Response.json({ status: "error" }, { status: 503 })),
  );
  expect(await (await send("https://edge.test/health", {}, [503])).json()).toEqual({ status: "error" });
  await expect(send("https://edge.test/health", {}, [410])).rejects.toMatchObject({ status: 503 });
});

test("a refusal is thrown with its reason, request id and wait", async () => {
  const body = {
    code: "rate_limited",
    detail: "Too many",
    errors: [{ parameter: "q", code: "range", detail: "too long" }],
  };
  const headers = { "X-Request-Id": "r-1", "Retry-After": "3" };
  const send = createAuthorizedFetch(
    openCredentialStore({ storage: { getItem: () => null, setItem: () => undefined, removeItem: () => undefined } }),
    () => Promise.resolve(Response.json(body, { status: 429, headers })),
  );
  const failure = await send("https://edge.test/graphql").catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(ApiFailure);
  expect(failure).toMatchObject({
    status: 429,
    code: "rate_limited",
    message: "Too many",
    requestId: "r-1",
    retryAfter: 3,
    isPassing: true,
    problems: [{ field: "q", code: "range", message: "too long" }],
  });
});

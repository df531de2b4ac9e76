import { describe, expect, test } from "vitest";
import { addCorsHeaders, preflightResponse, readEdgePolicy } from "./cors.ts";

const from = (origin?: string) =>
  new Request("https://oracle.test/", { headers: origin === undefined ? {} : { Origin: origin } });
const answered = (CORS_ORIGIN: string | undefined, origin?: string) =>
  addCorsHeaders(new Response("x"), from(origin), readEdgePolicy({ CORS_ORIGIN })).headers;

describe("CORS_ORIGIN", () => {
  test.each([undefined, "", "*"])("%j allows every origin, without credentials [ALL-8]", (setting) => {
    const headers = answered(setting, "https://app.test");
    expect(headers.get("Access-Control-Allow-Origin")).toBe("*");
    expect(headers.has("Access-Control-Allow-Credentials")).toBe(false);
    expect(headers.get("Access-Control-Expose-Headers")).toBe("X-Request-Id, x-run-id");
  });

  test("a listed origin is reflected with credentials", () => {
    const headers = answered("https://a.test, https://app.test/", "https://app.test");
    expect(headers.get("Access-Control-Allow-Origin")).toBe("https://app.test");
    expect(headers.get("Access-Control-Allow-Credentials")).toBe("true");
    expect(headers.get("Vary")).toBe("Origin");
  });

  test.each([undefined, "https://evil.test", "https://app.test.evil.test", "null"])("%j is not listed", (origin) => {
    const headers = answered("https://app.test", origin);
    expect(headers.has("Access-Control-Allow-Origin")).toBe(false);
    expect(headers.has("Access-Control-Allow-Credentials")).toBe(false);
    expect(headers.get("Vary")).toBe("Origin");
  });
});

test("keeps the response's own Vary members", () => {
  const response = new Response("x", { headers: { Vary: "Accept" } });
  const policy = readEdgePolicy({ CORS_ORIGIN: "https://app.test" });
  expect(addCorsHeaders(response, from(), policy).headers.get("Vary")).toBe("Accept, Origin");
});

test("a preflight returns exactly the specified methods and headers, for a day", () => {
  const response = preflightResponse(from("https://app.test"), readEdgePolicy({}));
  expect(response.status).toBe(204);
  expect(response.headers.get("Access-Control-Allow-Methods")).toBe("GET, POST, PUT, DELETE, PATCH, OPTIONS");
  expect(response.headers.get("Access-Control-Allow-Headers")).toBe(
    "Content-Type, Authorization, x-ucan-delegation, x-matrix-access-token, x-matrix-homeserver, x-did, x-request-id, x-auth-type, x-timezone",
  );
  expect(response.headers.get("Access-Control-Max-Age")).toBe("86400");
});

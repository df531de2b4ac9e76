/** Credentials in the headers of a request. */
import { describe, expect, test } from "vitest";
import { presentedSecret } from "./authentication.ts";

const from = (headers: Record<string, string>) => presentedSecret(new Headers(headers));

test.each([
  [{}, undefined],
  [{ Authorization: "Bearer key" }, "key"],
  [{ Authorization: "bEARER   key  " }, "key"],
  [{ "X-API-Key": "key" }, "key"],
  [{ Authorization: "Bearer key", "X-API-Key": "key" }, "key"],
])("%j presents %j", (headers, secret) => {
  expect(from(headers)).toEqual({ ok: true, value: secret });
});

describe("refused", () => {
  test.each([
    [{ Authorization: "Basic a2V5" }],
    [{ Authorization: "Bearer" }],
    [{ Authorization: "Bearerkey" }],
    [{ Authorization: "Bearer two keys" }],
    [{ Authorization: "key" }],
    [{ Authorization: "" }],
    [{ "X-API-Key": "" }],
    [{ "X-API-Key": "two keys" }],
    [{ Authorization: "Basic a2V5", "X-API-Key": "key" }],
  ])("%j as unauthenticated", (headers) => {
    expect(from(headers)).toMatchObject({
      ok: false,
      error: { reason: "unauthenticated" },
    });
  });

  test("two different keys as a conflict, without disclosing either", () => {
    const conflict = from({ Authorization: "Bearer first", "X-API-Key": "second" });
    expect(conflict).toMatchObject({ ok: false, error: { reason: "conflicting_credentials" } });
    expect(JSON.stringify(conflict)).not.toMatch(/first|second/);
  });
});

/** The settings of sockets. */
import { expect, test } from "vitest";
import { channelSettings } from "./session-settings.ts";

const settingsOf = (env: object) => channelSettings({ ORACLE_DID: "did:key:x", ...env } as unknown as Env);

test("three minutes between pings and one to answer, unless the environment sets others [OR-113]", () => {
  expect(settingsOf({})).toMatchObject({ pingIntervalMs: 180_000, pingTimeoutMs: 60_000 });
  const env = { SOCKET_PING_INTERVAL_MS: "25000", SOCKET_PING_TIMEOUT_MS: "20000" };
  expect(settingsOf(env)).toMatchObject({ pingIntervalMs: 25_000, pingTimeoutMs: 20_000 });
});

test("an invalid configuration gives the defaults, so that connections can be rejected with a reason [OR-147]", () => {
  expect(settingsOf({ SOCKET_PING_INTERVAL_MS: "999" })).toMatchObject({ pingIntervalMs: 180_000 });
});

test("CORS_ORIGIN sets the origins [OR-108]", () => {
  expect(settingsOf({}).origins).toBe("*");
  expect(settingsOf({ CORS_ORIGIN: "https://app.test, https://other.test" }).origins).toEqual([
    "https://app.test",
    "https://other.test",
  ]);
});

/** The settings of sockets. */
import { expect, test } from "vitest";
import { channelSettings } from "./session-settings.ts";

const settingsOf = (env: object) => channelSettings({ ORACLE_DID: "did:key:x", ...env } as unknown as Env);

test("8.1 three minutes between pings, one to answer, as the environment says otherwise", () => {
  expect(settingsOf({})).toMatchObject({ pingIntervalMs: 180_000, pingTimeoutMs: 60_000 });
  const env = { SOCKET_PING_INTERVAL_MS: "25000", SOCKET_PING_TIMEOUT_MS: "20000" };
  expect(settingsOf(env)).toMatchObject({ pingIntervalMs: 25_000, pingTimeoutMs: 20_000 });
});

test("an invalid configuration gives the defaults, so that connections can be rejected with a reason", () => {
  expect(settingsOf({ SOCKET_PING_INTERVAL_MS: "999" })).toMatchObject({ pingIntervalMs: 180_000 });
});

test("8.2 origins are those of CORS_ORIGIN", () => {
  expect(settingsOf({}).origins).toBe("*");
  expect(settingsOf({ CORS_ORIGIN: "https://app.test, https://other.test" }).origins).toEqual([
    "https://app.test",
    "https://other.test",
  ]);
});

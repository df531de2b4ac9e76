/** Calls without their storage: ids, details from clients, and state transitions. */
import { describe, expect, test } from "vitest";
import {
  callDetails,
  changed,
  ENCRYPTION_KEY_LENGTH,
  MATRIX_ID_LENGTH,
  parseCallId,
  shown,
  synced,
  type CallRecord,
} from "./call-record.ts";
import { callSettings } from "./settings.ts";

const own = { callId: "$e@!r:example.org", oracleDid: "did:ixo:oracle", userDid: "did:key:zUser" };
const call: CallRecord = { ...own, callStatus: "pending" };
const now = "2026-11-21T09:00:00.000Z";

describe("the id of a call is an event and its room [OR-375]", () => {
  test.each([
    ["$Rm9vYmFy@!room:example.org", "$Rm9vYmFy", "!room:example.org"],
    ["$old:example.org@!room:example.org", "$old:example.org", "!room:example.org"],
    ["$a/b+c@!31hneApxJ_1o-63DmFrpeqnkFfWppnzWso1JvH3ogLM", "$a/b+c", "!31hneApxJ_1o-63DmFrpeqnkFfWppnzWso1JvH3ogLM"],
  ])("%s", (text, eventId, roomId) => {
    expect(parseCallId(text)).toEqual({ text, eventId, roomId });
  });

  test.each(["", "session", "$e", "$e@", "@!r", "$@!r", "$e@!", "e@!r", "$e@room", "$e @!r", "$e\n@!r", "$e@!\u0000r"])(
    "not %j",
    (text) => {
      expect(parseCallId(text)).toBeUndefined();
    },
  );

  test("with at most 255 characters each", () => {
    expect(MATRIX_ID_LENGTH).toBe(255);
    const [event, room] = [`$${"e".repeat(254)}`, `!${"r".repeat(254)}`];
    expect(parseCallId(`${event}@${room}`)).toBeDefined();
    expect(parseCallId(`${event}e@${room}`)).toBeUndefined();
    expect(parseCallId(`${event}@${room}r`)).toBeUndefined();
  });
});

describe("a call moves from pending to active to ended [OR-376]", () => {
  test("it is pending until a client changes it, and keeps the details sent so far", () => {
    const first = synced(undefined, {}, own);
    expect(first).toEqual(call);
    const more = synced(first, { callType: "audio", sessionId: "s", encryptionKey: "k" }, own);
    expect(more).toEqual({ ...call, callType: "audio", sessionId: "s", encryptionKey: "k" });
    expect(synced(more, { callType: undefined, language: "en" }, own)).toEqual({ ...more, language: "en" });
  });

  test("active and ended have times, the client's if it sends one", () => {
    const active = changed(call, { callStatus: "active" }, now);
    expect(active).toEqual({ ...call, callStatus: "active", callStartedAt: now });
    const again = changed({ ...call, callStartedAt: "2026-11-21T08:59:00Z" }, { callStatus: "active" }, now);
    expect(again).toMatchObject({ callStartedAt: "2026-11-21T08:59:00Z" });
    expect(changed(call, { callStatus: "ended", callEndedAt: "2026-11-21T09:01:00Z" }, now)).toEqual({
      ...call,
      callStatus: "ended",
      callEndedAt: "2026-11-21T09:01:00Z",
    });
  });

  test("an end is final: ended again changes nothing, active is refused, a sync does not reopen", () => {
    const ended: CallRecord = { ...call, callStatus: "ended", callEndedAt: now };
    expect(changed(ended, { callStatus: "ended", callEndedAt: "2027-01-01T00:00:00Z" }, now)).toEqual(ended);
    expect(changed(ended, { callStatus: "active" }, now)).toBeUndefined();
    expect(synced(ended, { callStatus: "active" }, own)).toMatchObject({ callStatus: "ended" });
  });
});

test("the key is never shown; an oversized member is refused [OR-377]", () => {
  expect(ENCRYPTION_KEY_LENGTH).toBe(8_192);
  expect(shown({ ...call, encryptionKey: "k" })).toEqual(call);
  expect(callDetails.safeParse({ encryptionKey: "k".repeat(8_192), more: 1 })).toMatchObject({ success: true });
  for (const wrong of [
    { encryptionKey: "k".repeat(8_193) },
    { encryptionKey: "" },
    { callType: "x".repeat(129) },
    { callStatus: "paused" },
    { callStartedAt: "soon" },
    "text",
    [],
  ])
    expect(callDetails.safeParse(wrong).success, JSON.stringify(wrong)).toBe(false);
});

describe("settings of calls [OR-383]", () => {
  test("all are optional; a feature is on when all its settings are present", () => {
    expect(callSettings.parse({})).toEqual({ agentKey: undefined, liveKit: undefined, matrix: undefined });
    const liveKit = { LIVEKIT_URL: "wss://sfu.example", LIVEKIT_API_KEY: "k", LIVEKIT_API_SECRET: "s" };
    expect(callSettings.parse({ ...liveKit, LIVEKIT_API_SECRET: "" }).liveKit).toBeUndefined();
    expect(
      callSettings.parse({ ...liveKit, CALLS_HOMESERVERS: "a.example, b.example=https://m.b.example/" }),
    ).toMatchObject({
      liveKit: {
        homeservers: new Map([
          ["a.example", "https://a.example"],
          ["b.example", "https://m.b.example"],
        ]),
      },
    });
  });

  test.each([
    { CALLS_HOMESERVERS: "https://a.example" },
    { CALLS_HOMESERVERS: "a.example/path" },
    { CALLS_HOMESERVERS: "a.example=ftp://a.example" },
    { MATRIX_BASE_URL: "home.example" },
    { LIVEKIT_URL: "sfu" },
  ])("%j is refused by the name of its variable", (env) => {
    const parsed = callSettings.safeParse(env);
    expect(parsed.error?.issues.map(({ path }) => path[0])).toEqual(Object.keys(env));
  });
});

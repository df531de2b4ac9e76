/** Which connections are accepted, inside workerd; each test uses only the object's own responses. */
import { describe, expect, test } from "vitest";
import { REFUSED } from "../../../durable-objects/chat-session/sockets/chat-channel.ts";
import { chatSettings } from "../../support/oracle/chat-settings.ts";
import { OWNER, STRANGER, valueOf } from "../../support/oracle/chat-turns.ts";
import type { RawSocket } from "../../support/oracle/raw-socket.ts";
import { scriptedOracle } from "../../support/oracle/scripted-oracle.ts";
import { FIELD_VECTOR } from "../../support/auth/ucan.ts";
import { open, script, stored } from "./channel-under-test.ts";
import { unmadeSession } from "./session-under-test.ts";

/** How a connection with these credentials ended. */
async function refusal(socket: RawSocket, auth: object | null = { invocation: OWNER }) {
  socket.send(auth === null ? "40" : `40${JSON.stringify(auth)}`);
  const packet = await socket.next();
  const { code } = await socket.closed;
  return { packet, code, unread: socket.unread };
}

/** Stock clients turn it into an error with `data` as a member. */
function refusedWith(message: string, code: string, retryable = false): string {
  return `44${JSON.stringify({ message, data: { code, retryable } })}`;
}

test("the code of a refusal is the one that stops clients [OR-108]", () => {
  expect(REFUSED).toBe(4401);
});

describe("a refused client gets the reason, once, and is disconnected [OR-107, OR-108]", () => {
  const unauthorized = (reason: string) => ({
    packet: refusedWith(`Unauthorized: ${reason}`, "unauthenticated", true),
    code: REFUSED,
    unread: [],
  });

  test("no sessionId", async () => {
    const session = await script([]);
    expect(await refusal(await open(session, ""))).toEqual({
      packet: refusedWith("sessionId is required", "invalid_request"),
      code: REFUSED,
      unread: [],
    });
  });

  test.each([null, {}, { invocation: "" }, { invocation: 5 }, { invocation: "forged" }, { ucanDelegation: "forged" }])(
    "auth %j",
    async (auth) => {
      const session = await script([]);
      expect(await refusal(await open(session), auth)).toEqual(unauthorized("No such user"));
    },
  );

  test.each([
    [{ invocation: "forged" }, "invocation", "malformed"],
    [{ ucanDelegation: "forged" }, "delegation", "malformed"],
    [{ invocation: FIELD_VECTOR.token }, "invocation", "wrong_audience"],
  ])("the deployed oracle adds code and reason as data: %j", async (auth, kind, reason) => {
    const { packet, code } = await refusal(await open(unmadeSession("deployed")), auth);
    const data = { code: `invalid_${kind}`, reason, retryable: true };
    expect([packet, code]).toEqual([
      `44${JSON.stringify({ message: `Unauthorized: Invalid UCAN ${kind}`, data })}`,
      REFUSED,
    ]);
  });

  test("another user's session, one that was never created and a deleted one look alike, and leave nothing behind [OR-39]", async () => {
    const notFound = { packet: refusedWith("Session not found", "not_found"), code: REFUSED, unread: [] };
    const session = await script([]);
    expect(await refusal(await open(session), { invocation: STRANGER })).toEqual(notFound);
    const unmade = unmadeSession("scripted");
    expect(await refusal(await open(unmade))).toEqual(notFound);
    expect(await stored(unmade)).toEqual({ tables: [], alarm: null });
    valueOf(await session.chat.destroy(OWNER));
    expect(await refusal(await open(session))).toEqual(notFound);
    expect(await stored(session)).toEqual({ tables: [], alarm: null });
  });

  test("a silent connection leaves nothing of a session that was never created [OR-39]", async () => {
    const unmade = unmadeSession("scripted");
    const socket = await open(unmade);
    socket.close();
    await socket.closed;
    await expect.poll(() => stored(unmade)).toEqual({ tables: [], alarm: null });
  });

  test("a polling client fetches its refusal, even if others were refused and left meanwhile", async () => {
    const unmade = unmadeSession("scripted");
    const query = `&sessionId=${unmade.id}`;
    const ask = async (rest: string, body?: string) => {
      const url = `https://oracle.test/socket.io/?EIO=4&transport=polling${query}${rest}`;
      const response = await unmade.stub.fetch(url, body === undefined ? {} : { method: "POST", body });
      return response.text();
    };
    const { sid } = JSON.parse((await ask("")).slice(1)) as { sid: string };
    expect(await ask(`&sid=${sid}`, `40${JSON.stringify({ invocation: OWNER })}`)).toBe("ok");
    await refusal(await open(unmade));
    expect(await ask(`&sid=${sid}`)).toBe(refusedWith("Session not found", "not_found"));
    expect(await ask(`&sid=${sid}`)).toBe("1");
    expect(await stored(unmade)).toEqual({ tables: [], alarm: null });
  });

  test("a foreign origin", async () => {
    const session = await script([]);
    const socket = await open(session, `&sessionId=${session.id}`, { Origin: "https://foreign.test" });
    expect(await refusal(socket)).toMatchObject({
      packet: refusedWith("Origin not allowed", "forbidden"),
      code: REFUSED,
    });
  });

  test("more connections than requests are allowed, and a misconfigured oracle [OR-147]", async () => {
    const session = await script([]);
    scriptedOracle.settings = chatSettings({
      authenticator: { ...chatSettings().authenticator, requestsPerMinute: 0 },
    });
    expect(await refusal(await open(session))).toMatchObject({
      packet: refusedWith("Too many requests", "rate_limited", true),
      code: REFUSED,
    });
    scriptedOracle.settings = undefined;
    expect(await refusal(await open(session))).toMatchObject({
      packet: expect.stringContaining("cannot be reached now"),
    });
  });
});

/** Tokens with the test's clock and store. */
import { afterEach, describe, expect, test, vi } from "vitest";
import { memoryStore } from "../../../test/support/sdk/memory-store.ts";
import { OfflineError } from "./errors.ts";
import { authHeaders, createTokens, SIGNING_LIMIT, SigningError, TOKEN_MARGINS, type TokensOptions } from "./tokens.ts";

const HOUR = 3_600_000;
const START = Date.parse("2026-11-22T09:00:00Z");

/** A user who signs tokens with a lifetime of an hour, numbered from 1. */
function user(change: Partial<TokensOptions> = {}) {
  const clock = { now: START };
  const signed: string[] = [];
  const create = (kind: string) => async (oracleDid: string) => {
    const serialized = `${kind} ${signed.push(kind)} for ${oracleDid}`;
    await Promise.resolve();
    return { serialized, expiresAt: clock.now + HOUR };
  };
  const creators = { createDelegation: create("delegation"), createInvocation: create("invocation") };
  const options = { userDid: "did:u", oracleDid: "did:o", creators: () => creators, store: memoryStore(), ...change };
  const tokens = () => createTokens({ now: () => clock.now, ...options });
  return { clock, signed, creators, tokens };
}

describe("stored tokens [SD-5]", () => {
  test("serve all callers and the next visit, only for one user and oracle", async () => {
    const store = memoryStore();
    const { signed, tokens } = user({ store });
    const first = tokens();
    const sent = await Promise.all([first.handshake(), first.handshake(), first.headers()]);
    expect(sent[0]).toEqual({ invocation: "invocation 1 for did:o", ucanDelegation: "delegation 2 for did:o" });
    expect(sent[2]).toEqual(authHeaders(sent[0]));
    expect(sent[2]).toEqual({
      Authorization: "Bearer invocation 1 for did:o",
      "X-Auth-Type": "ucan",
      "x-ucan-delegation": "delegation 2 for did:o",
    });
    expect(await tokens().handshake()).toEqual(sent[0]);
    expect(signed).toEqual(["invocation", "delegation"]);

    const others = [user({ store, userDid: "did:other" }), user({ store, oracleDid: "did:p" })];
    for (const other of others) await other.tokens().handshake();
    expect(others.map((other) => other.signed.length)).toEqual([2, 2]);
    expect(store.values.size).toBe(6);

    first.clear();
    expect(store.values.size).toBe(4);
    expect(await first.getInvocation()).toBe("invocation 3 for did:o");
  });

  test.each([
    ["invocation", 30_000],
    ["delegation", 300_000],
  ] as const)("are replaced before they expire: the %s %d ms before", async (kind, margin) => {
    expect(TOKEN_MARGINS[kind]).toBe(margin);
    const { clock, signed, tokens } = user();
    const held = tokens();
    const get = kind === "invocation" ? held.getInvocation : held.getDelegation;
    await get();
    clock.now = START + HOUR - margin - 1;
    await get();
    expect(signed).toEqual([kind]);
    clock.now += 1;
    await get();
    expect(signed).toEqual([kind, kind]);
  });

  test("may state their expiry in seconds, and a short-lived one is used for half its lifetime", async () => {
    const { clock } = user();
    let count = 0;
    const createInvocation = async () => ({ serialized: `${(count += 1)}`, expiresAt: clock.now / 1000 + 20 });
    const held = createTokens({
      userDid: "did:u",
      oracleDid: "did:o",
      store: null,
      now: () => clock.now,
      creators: () => ({ createInvocation }),
    });
    expect(await held.getInvocation()).toBe("1");
    clock.now += 9999;
    expect(await held.getInvocation()).toBe("1");
    clock.now += 1;
    expect(await held.getInvocation()).toBe("2");
  });

  test("survive a store that throws, and a damaged store counts as empty", async () => {
    const refuse = () => {
      throw new Error("quota");
    };
    const { signed, tokens } = user({ store: { getItem: refuse, setItem: refuse, removeItem: refuse } });
    const held = tokens();
    await held.handshake();
    await held.handshake();
    held.clear();
    expect(signed).toEqual(["invocation", "delegation"]);
    const spoilt = memoryStore();
    spoilt.getItem = () => '{"serialized":7}';
    expect(await user({ store: spoilt }).tokens().getInvocation()).toBe("invocation 1 for did:o");
  });
});

describe("renewal [SD-6]", () => {
  test("is shared by all refused callers, and returns a new invocation first", async () => {
    const { signed, tokens } = user();
    const held = tokens();
    const refused = await held.handshake();
    expect(await Promise.all([1, 2, 3].map(() => held.renew(1, refused)))).toEqual([true, true, true]);
    // A late caller gets the tokens that others have renewed.
    expect(await held.renew(1, refused)).toBe(true);
    expect(signed).toEqual(["invocation", "delegation", "invocation"]);

    const again = await held.handshake();
    expect(again.ucanDelegation).toBe(refused.ucanDelegation);
    await Promise.all([held.renew(2, again), held.renew(2, again)]);
    await held.renew(2, again);
    expect(signed.slice(3)).toEqual(["invocation", "delegation"]);
  });

  test("uses tokens that another tab has signed in the meantime", async () => {
    const store = memoryStore();
    const { signed, tokens } = user({ store });
    const [one, other] = [tokens(), tokens()];
    const refused = await one.handshake();
    expect(await other.handshake()).toEqual(refused);
    await one.renew(1, refused);
    await other.renew(1, refused);
    expect(await other.getInvocation()).toBe(await one.getInvocation());
    expect(signed).toEqual(["invocation", "delegation", "invocation"]);
  });

  test("without `refused` replaces the current tokens", async () => {
    const { signed, tokens } = user();
    const held = tokens();
    await held.handshake();
    expect(await held.renew(1)).toBe(true);
    expect(signed).toEqual(["invocation", "delegation", "invocation"]);
  });

  test("with one kind of token has one stage", async () => {
    const { creators } = user();
    const only = (kind: "createDelegation" | "createInvocation" | "none") => {
      const { tokens, signed } = user({ creators: () => (kind === "none" ? {} : { [kind]: creators[kind] }) });
      return { held: tokens(), signed };
    };
    for (const kind of ["createDelegation", "createInvocation"] as const) {
      const { held } = only(kind);
      const sent = await held.handshake();
      expect(Object.keys(sent)).toEqual([kind === "createDelegation" ? "ucanDelegation" : "invocation"]);
      expect(await held.renew(1, sent)).toBe(true);
      expect(await held.handshake()).not.toEqual(sent);
      expect(await held.renew(2, sent)).toBe(false);
    }
    const { held } = only("none");
    expect(await held.handshake()).toEqual({});
    expect([await held.renew(1), await held.renew(2)]).toEqual([false, false]);
  });
});

test("a failed signature is the error of all waiting callers, and is requested again when the user acts [SD-7, SD-280]", async () => {
  const failure = new Error("the wallet is locked");
  let locked = true;
  let asked = 0;
  const createInvocation = async () => {
    asked += 1;
    await Promise.resolve();
    if (locked) throw failure;
    return { serialized: "token", expiresAt: START + HOUR };
  };
  const held = user({ creators: () => ({ createInvocation }) }).tokens();
  const failed = await Promise.allSettled([held.getInvocation(), held.headers()]);
  for (const each of failed) {
    expect(each).toMatchObject({ status: "rejected", reason: { name: "SigningError", cause: failure } });
  }
  await expect(held.renew(1)).rejects.toBeInstanceOf(SigningError);
  expect(asked).toBe(1);
  held.askAgain();
  await expect(held.renew(1)).rejects.toBeInstanceOf(SigningError);
  expect(asked).toBe(2);
  locked = false;
  held.askAgain();
  expect(await held.getInvocation()).toBe("token");
  const empty = createTokens({
    userDid: "did:u",
    oracleDid: "did:o",
    store: null,
    creators: () => ({ createDelegation: async () => ({ serialized: "", expiresAt: START }) }),
  });
  await expect(empty.getDelegation()).rejects.toBeInstanceOf(SigningError);
});

test("a signature that failed without a network is requested again, and so is one after another tab's token has expired [SD-280]", async () => {
  const store = memoryStore();
  let failure: Error | undefined = new OfflineError("The signing service could not be reached.");
  let asked = 0;
  const createInvocation = async () => {
    asked += 1;
    if (failure !== undefined) throw failure;
    return { serialized: "token", expiresAt: START + HOUR };
  };
  const { clock, tokens } = user({ store, creators: () => ({ createInvocation }) });
  const held = tokens();
  await expect(held.getInvocation()).rejects.toBeInstanceOf(SigningError);
  failure = new Error("The user declined.");
  await expect(held.getInvocation()).rejects.toBeInstanceOf(SigningError);
  failure = undefined;
  await expect(held.getInvocation()).rejects.toBeInstanceOf(SigningError);
  expect(asked).toBe(2);
  const other = tokens();
  await other.getInvocation();
  expect(await held.getInvocation()).toBe("token");
  clock.now = START + HOUR;
  await held.getInvocation();
  expect(asked).toBe(4);
});

describe("a wallet that does not answer", () => {
  afterEach(() => void vi.useRealTimers());

  test("is asked again at the user's next action after two minutes, and its late signature is used [SD-314]", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    const asked: ((token: { readonly serialized: string; readonly expiresAt: number }) => void)[] = [];
    const open = () => new Promise<{ serialized: string; expiresAt: number }>((resolve) => void asked.push(resolve));
    const held = user({ creators: () => ({ createInvocation: open }) }).tokens();
    const settled: unknown[] = [];
    const wait = () =>
      held.getInvocation().then(
        (token) => settled.push(token),
        (error: unknown) => settled.push(error),
      );
    const first = [wait(), wait()];
    await vi.advanceTimersByTimeAsync(SIGNING_LIMIT - 1);
    expect([asked.length, settled]).toEqual([1, []]);
    await vi.advanceTimersByTimeAsync(1);
    await Promise.all(first);
    expect(settled).toEqual([expect.any(SigningError), expect.any(SigningError)]);
    await expect(held.getInvocation()).rejects.toThrow(SigningError);
    held.askAgain();
    const second = wait();
    expect(asked.length).toBe(2);
    asked[0]?.({ serialized: "late", expiresAt: START + HOUR });
    await vi.advanceTimersByTimeAsync(SIGNING_LIMIT);
    await second;
    expect(await held.getInvocation()).toBe("late");
    expect(asked.length).toBe(2);
  });
});

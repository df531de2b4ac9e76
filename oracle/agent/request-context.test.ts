/** Which delegation a turn uses, and how it runs without one. */
import type { Delegation } from "../framework/delegation.ts";
import { describe, expect, test } from "vitest";
import { fail } from "../../platform/failure.ts";
import { success } from "../../platform/result.ts";
import { type AuthorityOptions, createAuthority } from "./request-context.ts";

const NOW = 1_800_000_000;

function delegation(token: string, change: Partial<Delegation> = {}): Delegation {
  return { token, expiration: NOW + 60, capabilities: [{ can: "memory/*", with: "ixo:memory" }], ...change };
}

interface Case {
  readonly header?: Delegation;
  readonly stored?: Delegation;
  /** A token that the user revoked after the request. */
  readonly revoked?: string;
  readonly mayPrompt?: AuthorityOptions["mayPrompt"];
}

function setUp({ header, stored, revoked, mayPrompt = async () => true }: Case) {
  const notices: object[] = [];
  const minted: string[] = [];
  let required = false;
  const active = {
    notice: (notice: object) => void notices.push(notice),
    requireDelegation: () => {
      required = true;
    },
  };
  const authority = createAuthority({
    active,
    given: header,
    readStored: async () => stored ?? null,
    isRevoked: async (token) => token === revoked,
    mayPrompt,
    mint: async (origin, { can }, { token }) => {
      minted.push(`${can} at ${origin} by ${token}`);
      return success("invocation");
    },
    verify: async () => fail("unavailable", "not part of this test"),
    now: () => NOW,
  });
  return { authority, notices, minted, required: () => required };
}

const memory = { can: "memory/read", with: "ixo:memory" };

describe("which delegation a turn uses [OR-34]", () => {
  async function servedBy(parts: Case): Promise<string | undefined> {
    const { authority, minted } = setUp(parts);
    await authority.mintInvocation("https://memory.test", memory);
    return minted[0]?.replace("memory/read at https://memory.test by ", "");
  }

  test("the turn's own before the stored one", async () => {
    expect(await servedBy({ header: delegation("header"), stored: delegation("stored") })).toBe("header");
    expect(await servedBy({ stored: delegation("stored") })).toBe("stored");
  });

  test("the stored one when the turn's own has expired or does not cover the service", async () => {
    const stored = delegation("stored");
    expect(await servedBy({ header: delegation("header", { expiration: NOW }), stored })).toBe("stored");
    expect(await servedBy({ header: delegation("header", { capabilities: [] }), stored })).toBe("stored");
  });

  test("the turn's own only until its user revokes it, however long the turn waits [OR-630]", async () => {
    const header = delegation("header");
    const stored = delegation("stored");
    expect(await servedBy({ header, stored, revoked: "header" })).toBe("stored");
    expect(await servedBy({ header, revoked: "header" })).toBeUndefined();
    const { authority } = setUp({ header, revoked: "header" });
    expect(await authority.delegation()).toBeUndefined();
    expect(await authority.hasCapability(memory.can, memory.with)).toBe(false);
  });

  test("until its last second; for ever without an expiry", async () => {
    expect(await servedBy({ stored: delegation("stored", { expiration: NOW }) })).toBeUndefined();
    expect(await servedBy({ stored: delegation("stored", { expiration: NOW + 1 }) })).toBe("stored");
    expect(await servedBy({ stored: delegation("stored", { expiration: null }) })).toBe("stored");
  });

  test.each([
    ["memory/*", "ixo:memory", "memory/read", "ixo:memory", true],
    ["memory/read", "ixo:memory", "memory/read", "ixo:memory", true],
    ["*", "ixo:memory", "memory/read", "ixo:memory", true],
    ["memory/*", "ixo:*", "memory/read", "ixo:memory", true],
    ["memory/*", "*", "memory/read", "ixo:memory", true],
    ["memory/read", "ixo:memory", "memory/write", "ixo:memory", false],
    ["memory/*", "ixo:memory", "memoryless/read", "ixo:memory", false],
    ["memory/*", "ixo:memory", "memory", "ixo:memory", false],
    ["memory*", "ixo:memory", "memory/read", "ixo:memory", false],
    ["memory/*", "ixo:mem", "memory/read", "ixo:memory", false],
    ["memory/*", "ixo:memory", "memory/read", "ixo:memory2", false],
  ])("%s on %s covers %s on %s: %s", async (can, resource, wantedCan, wantedWith, covered) => {
    const { authority } = setUp({ stored: delegation("stored", { capabilities: [{ can, with: resource }] }) });
    expect(await authority.hasCapability(wantedCan, wantedWith)).toBe(covered);
  });
});

describe("a turn that needs a delegation and has none", () => {
  test("continues with a refusal, the flag and one notice, however often the plugin asks", async () => {
    const { authority, notices, required } = setUp({});
    const refused = await authority.requireCapability("memory/read", "ixo:memory");
    expect(refused).toMatchObject({ ok: false, error: { code: "forbidden" } });
    expect(await authority.mintInvocation("https://memory.test", memory)).toMatchObject({ ok: false });
    expect(required()).toBe(true);
    expect(notices).toEqual([
      {
        message: "Please re-authorise this oracle to continue using connected services.",
        kind: "auth",
        source: "platform",
        retryable: true,
        detail: "delegation_required",
      },
    ]);
  });

  test("sets the flag without a notice while the prompt is throttled [OR-37]", async () => {
    const { authority, notices, required } = setUp({ mayPrompt: async () => false });
    await authority.requireCapability("memory/read", "ixo:memory");
    expect([required(), notices.length]).toEqual([true, 0]);
  });

  test("merely looking sets no flag and sends no notice", async () => {
    const { authority, notices, required } = setUp({});
    expect(await authority.hasCapability("memory/read", "ixo:memory")).toBe(false);
    expect([required(), notices.length]).toEqual([false, 0]);
  });

  test("a delegation that covers the service sets no flag and sends no notice", async () => {
    const { authority, notices, required } = setUp({ stored: delegation("stored") });
    expect(await authority.requireCapability("memory/read", "ixo:memory")).toEqual({ ok: true, value: null });
    expect([required(), notices.length]).toEqual([false, 0]);
  });
});

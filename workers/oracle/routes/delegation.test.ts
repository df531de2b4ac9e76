import { describe, expect, test } from "vitest";
import { edgeOverObjects } from "../../../test/support/oracle/oracle-objects-in-node.ts";
import { jsonOf } from "../../../test/support/oracle/oracle-edge.ts";
import { mintDelegation, signer } from "../../../test/support/auth/ucan.ts";

const alice = 1;
const bob = 2;
describe("delegation", () => {
  test("is stored, returned and deleted; hints that disagree are ignored [OR-29, OR-32]", async () => {
    const { edge } = await edgeOverObjects();
    const expiration = Math.floor(Date.now() / 1000) + 3600;
    const raw = await mintDelegation(await signer(alice), edge.oracleDid, expiration);
    const status = async () => jsonOf(await edge.call("GET", "/delegation", { as: alice }));
    expect(await status()).toEqual({ authorized: false });
    const body = { raw, issuer: "did:key:zOther", expiration: "soon" };
    expect(await jsonOf(await edge.call("POST", "/delegation", { as: alice, body }))).toEqual({ ok: true, expiration });
    expect(await status()).toEqual({ authorized: true, expiration });
    expect(await jsonOf(await edge.call("DELETE", "/delegation", { as: alice }))).toEqual({ ok: true });
    expect(await status()).toEqual({ authorized: false });
  });

  test("that is revoked no longer signs in, in any encoding, alone or with an invocation, and is not stored again [OR-544]", async () => {
    const { edge } = await edgeOverObjects();
    const expiration = Math.floor(Date.now() / 1000) + 3600;
    const raw = await mintDelegation(await signer(alice), edge.oracleDid, expiration);
    const other = await mintDelegation(await signer(alice), edge.oracleDid, expiration + 1);
    const urlSafe = raw.replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
    const alone = async (token: string) => {
      const response = await edge.call("GET", "/sessions", { headers: { "x-ucan-delegation": token } });
      return [response.status, (await jsonOf(response)).reason];
    };
    await edge.call("POST", "/delegation", { as: alice, body: { raw } });
    expect([await alone(raw), await alone(other)]).toEqual([
      [200, undefined],
      [200, undefined],
    ]);
    await edge.call("DELETE", "/delegation", { as: alice });
    expect([await alone(raw), await alone(urlSafe), await alone(other)]).toEqual([
      [401, "revoked"],
      [401, "revoked"],
      [200, undefined],
    ]);
    const stored = await edge.call("POST", "/delegation", { as: alice, body: { raw } });
    expect([stored.status, (await jsonOf(stored)).message]).toEqual([400, "Invalid delegation: revoked"]);
    expect((await edge.call("GET", "/sessions", { as: alice, headers: { "x-ucan-delegation": raw } })).status).toBe(
      200,
    );
    // The delegation in the request is revoked too, although it was never stored.
    expect((await edge.call("DELETE", "/delegation", { headers: { "x-ucan-delegation": other } })).status).toBe(200);
    expect(await alone(other)).toEqual([401, "revoked"]);
  });

  test("that never expires has no expiration [OR-30]", async () => {
    const { edge } = await edgeOverObjects();
    const raw = await mintDelegation(await signer(alice), edge.oracleDid, null);
    expect(await jsonOf(await edge.call("POST", "/delegation", { as: alice, body: { raw } }))).toEqual({ ok: true });
    expect(await jsonOf(await edge.call("GET", "/delegation", { as: alice }))).toEqual({ authorized: true });
  });

  test("in a header is used for its own request and is not stored [OR-33]", async () => {
    const { edge, objects } = await edgeOverObjects();
    const token = await mintDelegation(await signer(alice), edge.oracleDid, null);
    const status = async (headers = {}) => jsonOf(await edge.call("GET", "/delegation", { as: alice, headers }));
    expect(await status({ "x-ucan-delegation": token })).toEqual({ authorized: false });
    expect(await status()).toEqual({ authorized: false });
    expect(objects.calls).not.toContain("vault.storeDelegation");
  });

  test("that is newer replaces the stored one [OR-29]", async () => {
    const { edge } = await edgeOverObjects();
    const expiration = Math.floor(Date.now() / 1000) + 3600;
    for (const expires of [null, expiration]) {
      const raw = await mintDelegation(await signer(alice), edge.oracleDid, expires);
      expect((await edge.call("POST", "/delegation", { as: alice, body: { raw } })).status).toBe(200);
    }
    const status = await edge.call("GET", "/delegation", { as: alice });
    expect(await jsonOf(status)).toEqual({ authorized: true, expiration });
  });

  test("of another user, malformed or missing is a 400 with the reason [OR-31]", async () => {
    const { edge, objects } = await edgeOverObjects();
    const foreign = await mintDelegation(await signer(bob), edge.oracleDid, null);
    const expired = await mintDelegation(await signer(alice), edge.oracleDid, Math.floor(Date.now() / 1000) - 1);
    const astray = await mintDelegation(await signer(alice), "did:ixo:ixo1other", null);
    for (const [raw, message] of [
      [foreign, "Invalid delegation: issuer"],
      [expired, "Invalid delegation: expired"],
      [astray, "Invalid delegation: audience"],
      ["x", "Invalid delegation: malformed CAR"],
      ["", "raw must be a non-empty string"],
      [5, "raw must be a non-empty string"],
    ]) {
      const response = await edge.call("POST", "/delegation", { as: alice, body: { raw } });
      expect([response.status, (await jsonOf(response))["message"]]).toEqual([400, message]);
    }
    expect(objects.calls).not.toContain("vault.storeDelegation");
  });

  test("that is invalid counts as a request: verifying it costs as much as verifying a valid one [OR-138]", async () => {
    const { edge } = await edgeOverObjects({ ORACLE_RATE_LIMIT_PER_MINUTE: "2" });
    const statuses: number[] = [];
    for (let post = 0; post < 3; post += 1) {
      statuses.push((await edge.call("POST", "/delegation", { as: alice, body: { raw: "x" } })).status);
    }
    expect(statuses).toEqual([400, 400, 429]);
  });
});

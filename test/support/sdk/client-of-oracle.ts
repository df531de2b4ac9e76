/** A user's client of the SDK's core with the oracle on a port. It signs with a key of `ucan.ts`, and counts its signatures. */
import { onTestFinished } from "vitest";
import { createOracleClient, type OracleClientOptions } from "../../../sdk/src/core/oracle-client.ts";
import { startOracleOnAPort, type OraclePortOptions } from "../oracle/oracle-on-a-port.ts";
import { mintDelegation, mintInvocation, signer } from "../auth/ucan.ts";

/** Seed of the user's signing key. */
const USER_KEY = 1;
/** Seconds: longer than any margin of the client's. */
const TOKEN_LIFETIME = 900;

export async function clientOfOracle(options: OraclePortOptions = {}, change: Partial<OracleClientOptions> = {}) {
  const oracle = await startOracleOnAPort(options);
  onTestFinished(oracle.close);
  const user = await signer(USER_KEY);
  const signed = { delegations: 0, invocations: 0 };
  const longest = Math.floor(Date.now() / 1000) + TOKEN_LIFETIME;
  /** Each token differs from all earlier ones, even if signed in one second. */
  const expiry = () => longest - signed.delegations - signed.invocations;
  const client = createOracleClient({
    oracleDid: oracle.edge.oracleDid,
    userDid: user.did(),
    endpoints: { apiUrl: oracle.url },
    tokenStore: null,
    async createDelegation(oracleDid) {
      signed.delegations += 1;
      const expiration = expiry();
      return { serialized: await mintDelegation(user, oracleDid, expiration), expiresAt: expiration * 1000 };
    },
    async createInvocation(oracleDid) {
      signed.invocations += 1;
      const expiration = expiry();
      return { serialized: await mintInvocation(user, oracleDid, expiration), expiresAt: expiration * 1000 };
    },
    ...change,
  });
  const paths = () => oracle.requests.map(({ method, path }) => `${method} ${path}`);
  return { oracle, client, signed, paths };
}

/**
 * The clients of one provider: one for each user, oracle and place. A client does nothing before a hook uses it, and is
 * forgotten when another user signs in.
 */
import { createOracleClient, type InspectedEntry, type OracleClient, type TokenStore } from "../core/oracle-client.ts";
import type { Tokens } from "../core/tokens.ts";
import { networkOf, type NetworkSettings } from "../matrix/network.ts";
import type { OracleOverrides } from "./chat-options.ts";
import type { CreateDelegationFn, CreateInvocationFn, IWalletProps } from "./wallet.ts";

/** What the application hands to the provider, as of its last render. */
export interface PoolSettings {
  readonly initialWallet: IWalletProps;
  readonly createDelegation: CreateDelegationFn;
  readonly createInvocation?: CreateInvocationFn;
  readonly storage?: TokenStore | null;
  readonly network?: NetworkSettings;
  readonly inspect?: (entry: InspectedEntry) => void;
}

export interface ClientPool {
  /** Called while rendering: the same client for the same arguments. */
  client(userDid: string, oracleDid: string, overrides?: OracleOverrides): OracleClient;
  /** The user's tokens for the oracle, wherever it is, for what they ask: one who declined to sign is asked again. */
  actingTokens(userDid: string, oracleDid: string): Tokens;
  /** Ends the clients of all other users. */
  keepOnly(userDid: string): void;
}

export function createClientPool(settings: () => PoolSettings): ClientPool {
  const clients = new Map<string, OracleClient>();

  const findAny = (userDid: string, oracleDid: string): OracleClient | undefined =>
    [...clients.values()].find((client) => client.userDid === userDid && client.oracleDid === oracleDid);

  /** What is read of the settings is read when it is needed: while rendering they are still those of the render before. */
  function create(userDid: string, oracleDid: string, { baseUrl, wsUrl }: OracleOverrides): OracleClient {
    const isSignedIn = (): boolean => settings().initialWallet.did === userDid;
    const refuseOthers = (): void => {
      if (!isSignedIn()) throw new Error("The user that this token is for is not signed in any more.");
    };
    /** A token that another user signs, also one who signed in while it was being signed, would be kept as this one's. */
    const signed = (create: CreateDelegationFn) => async (audience: string) => {
      refuseOthers();
      const token = await create(audience);
      refuseOthers();
      return token;
    };
    const tokens = findAny(userDid, oracleDid)?.tokens;
    const { storage } = settings();
    return createOracleClient({
      oracleDid,
      userDid,
      endpoints:
        baseUrl === undefined
          ? async () => {
              const { discoverEndpoints } = await import("../core/discovery.ts");
              return discoverEndpoints({ oracleDid, wsUrl, ...services() });
            }
          : { apiUrl: baseUrl, socketUrl: wsUrl ?? baseUrl },
      ...(tokens !== undefined && { tokens }),
      get createDelegation() {
        return signed((audience) => settings().createDelegation(audience));
      },
      get createInvocation() {
        const { createInvocation } = settings();
        return createInvocation && signed(createInvocation);
      },
      matrix: {
        get accessToken() {
          return isSignedIn() ? settings().initialWallet.matrix.accessToken : "";
        },
        get homeServer() {
          return isSignedIn() ? settings().initialWallet.matrix.homeServer : "";
        },
      },
      ...(storage !== undefined && { tokenStore: storage }),
      inspect: (entry) => settings().inspect?.(entry),
    });
  }

  function services(): { readonly graphqlUrl: string; readonly registryUrl: string | undefined } {
    const { network } = settings();
    return { graphqlUrl: networkOf(network).graphqlUrl, registryUrl: network?.registryUrl };
  }

  const client: ClientPool["client"] = (userDid, oracleDid, overrides = {}) => {
    const key = JSON.stringify([userDid, oracleDid, overrides.baseUrl, overrides.wsUrl]);
    const known = clients.get(key) ?? create(userDid, oracleDid, overrides);
    clients.set(key, known);
    return known;
  };

  return {
    client,
    actingTokens(userDid, oracleDid) {
      const { tokens } = findAny(userDid, oracleDid) ?? client(userDid, oracleDid);
      tokens.askAgain();
      return tokens;
    },
    keepOnly(userDid) {
      for (const [key, each] of clients) {
        if (each.userDid === userDid) continue;
        each.dispose();
        clients.delete(key);
      }
    },
  };
}

/**
 * What the provider hands to the hooks: the signed-in user, their clients and chats, the page's actions. There is one client for each
 * user, oracle and place. It does nothing before a hook uses it, and is forgotten when another user signs in.
 */
"use client";
import { createContext, useContext, useMemo } from "react";
import type { Chat, ChatView } from "../core/chat.ts";
import type { InspectedEntry, TokenStore } from "../core/client-settings.ts";
import type { DiscoveryOptions } from "../core/discovery.ts";
import { createOracleClient, type OracleClient } from "../core/oracle-client.ts";
import type { Tokens } from "../core/tokens.ts";
import { networkOf, type NetworkSettings } from "../matrix/network.ts";
import type { ActionRegistry } from "./action-registry.ts";
import type { IChatOptions, OracleOverrides } from "./chat-options.ts";
import type { CreateDelegationFn, CreateInvocationFn, IWalletProps, TransactionFn } from "./wallet.ts";

/** Its identity changes with the user's wallet only. */
export interface OraclesParts {
  readonly wallet: IWalletProps;
  /** Calls the newest function of the application. */
  readonly transactSignX: TransactionFn;
  readonly clients: ClientPool;
  readonly actions: ActionRegistry;
  readonly network: NetworkSettings | undefined;
  /** As the provider was given it. */
  readonly storage: TokenStore | null | undefined;
}

export const OraclesPartsContext = createContext<OraclesParts | null>(null);

/** @throws outside `OraclesProvider` */
export function useOraclesParts(): OraclesParts {
  const parts = useContext(OraclesPartsContext);
  if (parts === null) throw new Error("useOraclesContext must be used within a OraclesProvider");
  return parts;
}

/** The same client for all hooks that name the same oracle and the same place. */
export function useOracleClient(oracleDid: string, overrides: OracleOverrides = {}): OracleClient {
  const { wallet, clients, network } = useOraclesParts();
  const { baseUrl, wsUrl } = overrides;
  const { graphqlUrl } = networkOf(network);
  const registryUrl = network?.registryUrl;
  return useMemo(
    () => clients.client(wallet.did, oracleDid, { baseUrl, wsUrl, graphqlUrl, registryUrl }),
    [clients, wallet.did, oracleDid, baseUrl, wsUrl, graphqlUrl, registryUrl],
  );
}

/** Which chat, and how often it is looked at. */
export type ChatKey = Pick<IChatOptions, "oracleDid" | "sessionId"> &
  Partial<Pick<IChatOptions, "overrides" | "historyPageSize" | "streamingMode" | "streamingThrottleMs">>;

interface SharedChat {
  /** undefined: there is no session yet. */
  readonly chat: Chat | undefined;
  readonly view: ChatView | undefined;
}

/** One session's chat, the same for all components that name it, as one component looks at it. */
export function useSharedChat(options: ChatKey): SharedChat {
  const { oracleDid, sessionId, overrides, historyPageSize, streamingMode, streamingThrottleMs } = options;
  const client = useOracleClient(oracleDid, overrides);
  const chat = useMemo(
    () =>
      sessionId === ""
        ? undefined
        : client.chat(sessionId, { ...(historyPageSize !== undefined && { historyPageSize }) }),
    [client, sessionId, historyPageSize],
  );
  const view = useMemo(
    () =>
      chat?.view({
        mode: streamingMode ?? "immediate",
        ...(streamingThrottleMs !== undefined && { throttleMs: streamingThrottleMs }),
      }),
    [chat, streamingMode, streamingThrottleMs],
  );
  return { chat, view };
}

export const subscribeToNothing = () => () => {};

/** What the application hands to the provider, as of its last render. */
export interface PoolSettings {
  readonly initialWallet: IWalletProps;
  readonly createDelegation: CreateDelegationFn;
  readonly createInvocation?: CreateInvocationFn;
  readonly storage?: TokenStore | null;
  readonly inspect?: (entry: InspectedEntry) => void;
}

/** Where an oracle is, or else who is asked where it is. */
type OraclePlace = Pick<DiscoveryOptions, "baseUrl" | "wsUrl" | "graphqlUrl" | "registryUrl">;

export interface ClientPool {
  /** Called while rendering: the same client for the same arguments. */
  client(userDid: string, oracleDid: string, place?: OraclePlace): OracleClient;
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
  function create(userDid: string, oracleDid: string, place: OraclePlace): OracleClient {
    const { baseUrl, wsUrl, graphqlUrl, registryUrl } = place;
    const isSignedIn = (): boolean => settings().initialWallet.did === userDid;
    const refuseOthers = (): void => {
      if (!isSignedIn()) throw new Error("The user of this token is no longer signed in.");
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
              return discoverEndpoints({ oracleDid, wsUrl, graphqlUrl, registryUrl });
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

  const client: ClientPool["client"] = (userDid, oracleDid, place = {}) => {
    const { baseUrl, wsUrl, graphqlUrl, registryUrl } = place;
    const sources = baseUrl === undefined ? [graphqlUrl, registryUrl] : [];
    const key = JSON.stringify([userDid, oracleDid, baseUrl, wsUrl, ...sources]);
    const known = clients.get(key) ?? create(userDid, oracleDid, place);
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

/**
 * The data that the provider passes to the hooks: the signed-in user, their clients and chats, and the page's actions.
 * There is one client per user, oracle and address. It is idle until a hook uses it, and is dropped when another user
 * signs in.
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

/** Its identity changes only with the user's wallet. */
export interface OraclesParts {
  readonly wallet: IWalletProps;
  /** Calls the application's newest function. */
  readonly transactSignX: TransactionFn;
  readonly clients: ClientPool;
  readonly actions: ActionRegistry;
  readonly network: NetworkSettings | undefined;
  /** The `storage` prop of the provider. */
  readonly storage: TokenStore | null | undefined;
}

export const OraclesPartsContext = createContext<OraclesParts | null>(null);

/** @throws outside `OraclesProvider` */
export function useOraclesParts(): OraclesParts {
  const parts = useContext(OraclesPartsContext);
  if (parts === null) throw new Error("useOraclesContext must be used within a OraclesProvider");
  return parts;
}

/** All hooks that name the same oracle and address share one client. */
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

/** Identifies a chat, and how often its view updates. */
export type ChatKey = Pick<IChatOptions, "oracleDid" | "sessionId"> &
  Partial<Pick<IChatOptions, "overrides" | "historyPageSize" | "streamingMode" | "streamingThrottleMs">>;

interface SharedChat {
  /** Undefined if there is no session yet. */
  readonly chat: Chat | undefined;
  readonly view: ChatView | undefined;
}

/** The chat of a session, shared by all components, and this component's view of it. */
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

/** The application's settings of the provider, from its last render. */
export interface PoolSettings {
  readonly initialWallet: IWalletProps;
  readonly createDelegation: CreateDelegationFn;
  readonly createInvocation?: CreateInvocationFn;
  readonly storage?: TokenStore | null;
  readonly inspect?: (entry: InspectedEntry) => void;
}

/** The address of an oracle, or else the services that know it. */
type OraclePlace = Pick<DiscoveryOptions, "baseUrl" | "wsUrl" | "graphqlUrl" | "registryUrl">;

export interface ClientPool {
  /** Called during a render: returns the same client for the same arguments. */
  client(userDid: string, oracleDid: string, place?: OraclePlace): OracleClient;
  /** The user's tokens for the oracle at any address, for user actions: a user who declined to sign is asked again. */
  actingTokens(userDid: string, oracleDid: string): Tokens;
  /** Disposes of the clients of all other users. */
  keepOnly(userDid: string): void;
}

export function createClientPool(settings: () => PoolSettings): ClientPool {
  const clients = new Map<string, OracleClient>();

  const findAny = (userDid: string, oracleDid: string): OracleClient | undefined =>
    [...clients.values()].find((client) => client.userDid === userDid && client.oracleDid === oracleDid);

  /** Settings are read when they are needed, because during a render they are still those of the previous render. */
  function create(userDid: string, oracleDid: string, place: OraclePlace): OracleClient {
    const { baseUrl, wsUrl, graphqlUrl, registryUrl } = place;
    const isSignedIn = (): boolean => settings().initialWallet.did === userDid;
    const refuseOthers = (): void => {
      if (!isSignedIn()) throw new Error("The user of this token has signed out.");
    };
    /** If another user signs in while a token is being signed, the token must not be stored for this user. */
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

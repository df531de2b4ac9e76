/** `OraclesProvider`: provides the signed-in user to all hooks below it. */
"use client";
import { QueryClient, QueryClientContext, QueryClientProvider } from "@tanstack/react-query";
import { useContext, useEffect, useMemo, useState, type JSX, type PropsWithChildren } from "react";
import type { InspectedEntry, TokenStore } from "../core/client-settings.ts";
import { createActionRegistry } from "./action-registry.ts";
import { createClientPool, OraclesPartsContext, type OraclesParts } from "./oracles-context.ts";
import type { NetworkSettings } from "../matrix/network.ts";
import { useLatest } from "./use-latest.ts";
import type { CreateDelegationFn, CreateInvocationFn, IWalletProps, TransactionFn } from "./wallet.ts";

/** A list is read again when it is a minute old. */
const STALE_AFTER_MS = 60_000;

/** The props of `OraclesProvider`. */
export interface IOraclesProviderProps {
  /** The signed-in user. If the DID changes, all connections and chats of the previous user are closed. */
  initialWallet: IWalletProps;
  /** Signs and broadcasts transactions (`useContractOracle`). */
  transactSignX: TransactionFn;
  /** Signs the delegation that lets an oracle use the user's other services. */
  createDelegation: CreateDelegationFn;
  /** Signs the invocation that proves who is calling. Without it, the delegation alone signs the user in. */
  createInvocation?: CreateInvocationFn;
  /** The application's query client. Default: the client of a `QueryClientProvider` above, or else one of the SDK. */
  queryClient?: QueryClient;
  /** The store of signed tokens between visits. Default: `localStorage`. Null keeps them only in memory. */
  storage?: TokenStore | null;
  /** The addresses of the network's services, to find oracles by their DID. */
  network?: NetworkSettings;
  /** Receives requests, frames and socket events without tokens, for the devtools. */
  inspect?: (entry: InspectedEntry) => void;
}

/**
 * Signs the user in for all hooks below it. It always uses the newest functions, so you can write them inline.
 *
 * @throws `initialWallet and transactSignX are required`
 *
 * @example
 * <OraclesProvider initialWallet={wallet} transactSignX={sign} createDelegation={delegate} createInvocation={invoke}>
 *   <Chat />
 * </OraclesProvider>
 */
export function OraclesProvider(props: PropsWithChildren<IOraclesProviderProps>): JSX.Element {
  const { children, initialWallet, transactSignX, queryClient } = props;
  // Protects callers without types.
  if (!(initialWallet as IWalletProps | undefined) || !(transactSignX as TransactionFn | undefined)) {
    throw new Error("initialWallet and transactSignX are required");
  }
  const latest = useLatest(props);
  const [actions] = useState(createActionRegistry);
  const [clients] = useState(() => createClientPool(() => latest.current));

  // A wallet that is written inline is a new object at each render.
  const { address, did, matrix } = initialWallet;
  const { accessToken, homeServer } = matrix;
  const wallet = useMemo(
    (): IWalletProps => ({ address, did, matrix: { accessToken, homeServer } }),
    [address, did, accessToken, homeServer],
  );
  const { network, storage } = props;
  const parts = useMemo(
    (): OraclesParts => ({
      wallet,
      transactSignX: (messages, memo) => latest.current.transactSignX(messages, memo),
      clients,
      actions,
      network,
      storage,
    }),
    [wallet, latest, clients, actions, network, storage],
  );
  useEffect(() => clients.keepOnly(did), [clients, did]);

  const outer = useContext(QueryClientContext);
  const [own] = useState(
    () => new QueryClient({ defaultOptions: { queries: { staleTime: STALE_AFTER_MS, refetchOnWindowFocus: false } } }),
  );
  const queries = queryClient ?? outer ?? own;
  return (
    <OraclesPartsContext.Provider value={parts}>
      <QueryClientProvider client={queries}>{children}</QueryClientProvider>
    </OraclesPartsContext.Provider>
  );
}

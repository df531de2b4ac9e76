/** `OraclesProvider`: who is signed in, for all hooks beneath it. */
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
  /** The signed-in user. Another DID ends everything of the one before. */
  initialWallet: IWalletProps;
  /** Signs and broadcasts transactions (`useContractOracle`). */
  transactSignX: TransactionFn;
  /** Signs the delegation by which an oracle may use the user's other services. */
  createDelegation: CreateDelegationFn;
  /** Signs the invocation that proves who calls. Without it the delegation alone signs the user in. */
  createInvocation?: CreateInvocationFn;
  /** The application's own query client; by default the one of a `QueryClientProvider` above, else one of the SDK's. */
  queryClient?: QueryClient;
  /** Where signed tokens are kept between visits: `localStorage` by default; null keeps them in memory only. */
  storage?: TokenStore | null;
  /** Where the services of the network are, for oracles that are found by their DID. */
  network?: NetworkSettings;
  /** Sees requests, frames and socket events, tokens left out: for the devtools. */
  inspect?: (entry: InspectedEntry) => void;
}

/**
 * Signs the user in for all hooks beneath it. The newest functions are always used, so they may be written inline.
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
  // Callers without types.
  if (!(initialWallet as IWalletProps | undefined) || !(transactSignX as TransactionFn | undefined)) {
    throw new Error("initialWallet and transactSignX are required");
  }
  const latest = useLatest(props);
  const [actions] = useState(createActionRegistry);
  const [clients] = useState(() => createClientPool(() => latest.current));

  // A wallet that is written inline is another object at each render.
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

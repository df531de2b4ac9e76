/** What the provider hands to the hooks: the signed-in user, their clients of oracles, the page's actions. */
"use client";
import { createContext, useContext } from "react";
import type { TokenStore } from "../core/oracle-client.ts";
import type { NetworkSettings } from "../matrix/network.ts";
import type { ActionRegistry } from "./action-registry.ts";
import type { ClientPool } from "./client-pool.ts";
import type { TransactionFn, IWalletProps } from "./wallet.ts";

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

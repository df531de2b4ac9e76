/** The signed-in user's client of one oracle. */
"use client";
import { useMemo } from "react";
import type { OracleClient } from "../core/oracle-client.ts";
import type { OracleOverrides } from "./chat-options.ts";
import { useOraclesParts } from "./oracles-context.ts";

/** The same client for all hooks that name the same oracle and the same place. */
export function useOracleClient(oracleDid: string, overrides: OracleOverrides = {}): OracleClient {
  const { wallet, clients } = useOraclesParts();
  const { baseUrl, wsUrl } = overrides;
  return useMemo(
    () =>
      clients.client(wallet.did, oracleDid, {
        ...(baseUrl !== undefined && { baseUrl }),
        ...(wsUrl !== undefined && { wsUrl }),
      }),
    [clients, wallet.did, oracleDid, baseUrl, wsUrl],
  );
}

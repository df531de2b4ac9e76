/** The addresses of an oracle, and the price of its default model. */
"use client";
import { useQuery } from "@tanstack/react-query";
import type { IAuthzConfig } from "../matrix/authz-config.ts";
import type { OracleOverrides } from "./chat-options.ts";
import { type ModelInfo, useModels } from "./use-models.ts";
import { useOraclesParts } from "./oracles-context.ts";
import { readsAlways } from "./query-options.ts";
import { useOracleEndpoints } from "./use-oracle-endpoints.ts";
import { authzKey, PUBLISHED_STALE_MS, useSurroundings } from "./use-surroundings.ts";

/** The addresses of an oracle, and the price of its default model. */
export interface OraclesConfig {
  /** The permissions that the oracle requests on the chain. It is not read if `baseUrl` sets the address. */
  authConfig?: IAuthzConfig | undefined;
  /** Null until it is known. */
  apiUrl: string | null;
  /** Null until it is known. */
  socketUrl: string | null | undefined;
  /** The id of the default model; null until it is known. */
  model: string | null;
  /** The price of that model for the user; null until it is known. */
  price: ModelInfo["pricing"] | null;
}

/** The result of `useOraclesConfig`. */
export interface UseOraclesConfigResult {
  config: OraclesConfig;
  /** Some of the values are loading. */
  isLoading: boolean;
  /** The address of the oracle is known. */
  isReady: boolean;
}

/**
 * Finds an oracle by its DID: from `overrides`, or else from the services of its entity on the chain. A chat does not
 * need this hook. Use it if your application shows or calls the oracle's URLs, or shows its price.
 */
export function useOraclesConfig(oracleDid: string, overrides: OracleOverrides = {}): UseOraclesConfigResult {
  const { apiUrl, socketUrl, isLoading } = useOracleEndpoints(oracleDid, overrides);
  const { defaultModelId, defaultModel, ...models } = useModels(oracleDid, overrides);
  const { wallet } = useOraclesParts();
  const { authzConfig, network } = useSurroundings(oracleDid);
  const authz = useQuery({
    queryKey: [...authzKey(network.graphqlUrl, wallet.did, wallet.address, oracleDid), "shown"],
    queryFn: authzConfig,
    ...readsAlways,
    enabled: overrides.baseUrl === undefined && oracleDid !== "" && wallet.address !== "",
    staleTime: PUBLISHED_STALE_MS,
    retry: false,
  });
  const config: OraclesConfig = {
    ...(authz.data !== undefined && { authConfig: authz.data }),
    apiUrl,
    socketUrl,
    model: defaultModelId ?? null,
    price: defaultModel?.pricing ?? null,
  };
  return {
    config,
    isLoading: isLoading || models.isLoading,
    isReady: apiUrl !== null,
  };
}

/** Where an oracle is, and what its default model costs. */
"use client";
import { useQuery } from "@tanstack/react-query";
import type { IAuthzConfig } from "../matrix/authz-config.ts";
import type { OracleOverrides } from "./chat-options.ts";
import { type ModelInfo, useModels } from "./use-models.ts";
import { useOraclesParts } from "./oracles-context.ts";
import { readsAlways } from "./query-options.ts";
import { useOracleEndpoints } from "./use-oracle-endpoints.ts";
import { authzKey, PUBLISHED_STALE_MS, useSurroundings } from "./use-surroundings.ts";

/** Where an oracle is, and what its default model costs. */
export interface OraclesConfig {
  /** What the oracle asks to be allowed on the chain; it is not read when `baseUrl` says where the oracle is. */
  authConfig?: IAuthzConfig | undefined;
  /** null until it is known. */
  apiUrl: string | null;
  /** null until it is known. */
  socketUrl: string | null | undefined;
  /** The id of the model that answers when none is chosen; null until it is known. */
  model: string | null;
  /** What the user pays for that model; null until it is known. */
  price: ModelInfo["pricing"] | null;
}

/** What `useOraclesConfig` returns. */
export interface UseOraclesConfigResult {
  config: OraclesConfig;
  /** Something of it is being read. */
  isLoading: boolean;
  /** It is known where the oracle is. */
  isReady: boolean;
}

/**
 * Finds an oracle by its DID: from `overrides`, else from the services of its entity on the chain. A chat does not need this; it
 * is for an application that shows or calls the oracle's URLs, or shows its price.
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

/** Who the API key of this tab is: DID, scopes, role, from `GET /v1/api-keys/current`. */
import { useQuery } from "@tanstack/react-query";
import { api } from "../api/api.ts";
import type { operations } from "../api/paths.d.ts";
import { useCredentials, useKeyNumber } from "./use-credentials.ts";

export type CallerKey = operations["getCurrentApiKey"]["responses"][200]["content"]["application/json"];

/** Milliseconds: rights change rarely. */
const FRESH = 60_000;

/** What was read with one key is not the answer for another, and a key that is gone has none. */
export function useCaller() {
  const { apiKey } = useCredentials();
  const keyNumber = useKeyNumber();
  return useQuery({
    queryKey: ["get", "/v1/api-keys/current", keyNumber],
    queryFn: ({ signal }) => readCaller({ signal }),
    enabled: apiKey !== undefined,
    staleTime: FRESH,
  });
}

/** @param init with an Authorization of its own, to ask for another key than that of the tab. */
export async function readCaller(init: { readonly signal?: AbortSignal; readonly headers?: Record<string, string> }) {
  const { data } = await api.GET("/v1/api-keys/current", init);
  // What is not ok is thrown.
  return data as CallerKey;
}

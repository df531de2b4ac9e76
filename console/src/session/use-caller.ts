/** Who the API key of this tab is: DID, scopes, role, from `GET /v1/api-keys/current`. */
import { apiHooks } from "../api/api.ts";
import { useCredentials } from "./use-credentials.ts";

/** Milliseconds: rights change rarely. */
const FRESH = 60_000;

export function useCaller() {
  const { apiKey } = useCredentials();
  return apiHooks.useQuery("get", "/v1/api-keys/current", {}, { enabled: apiKey !== undefined, staleTime: FRESH });
}

/** Which plugins this host has on, from `GET /health`: a panel of one that is off says so. */
import { apiHooks } from "../api/api.ts";

export function usePlugins() {
  return apiHooks.useQuery(
    "get",
    "/health",
    {},
    { select: ({ plugins }) => (plugins as { readonly loaded?: readonly string[] } | undefined)?.loaded ?? [] },
  );
}

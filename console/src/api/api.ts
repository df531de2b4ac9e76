/** The page's only client, and its React Query form. */
import { QueryClient } from "@tanstack/react-query";
import createQueryHooks from "openapi-react-query";
import { ApiFailure } from "./api-failure.ts";
import { createApiClient, createAuthorizedFetch } from "./client.ts";
import { openCredentialStore } from "./credentials.ts";
import { openPageStorage } from "./page-storage.ts";

/** Storage that survives a reload of the tab. */
export const tabStorage = openPageStorage(() => sessionStorage);
export const credentials = openCredentialStore({ storage: tabStorage, tab: window });
addEventListener("pagehide", credentials.handOver);
// Restored from the browser's back/forward cache.
addEventListener("pageshow", ({ persisted }) => persisted && credentials.takeBack());

/** For paths that the OpenAPI documents do not type, such as the query gateway's. */
export const authorizedFetch = createAuthorizedFetch(credentials, (...args) => fetch(...args));

/** `api.GET("/v1/domains", {params})` answers `{data}`; it rejects with ApiFailure. */
export const api = createApiClient(authorizedFetch, location.origin);

/** `apiHooks.useQuery("get", "/v1/domains", {params})`, useMutation and queryOptions; keys are `[method, path, init]`. */
export const apiHooks = createQueryHooks(api);

/** Attempts after the first; a refusal is not retried. */
const RETRIES = 2;
/** Milliseconds: within this time, a reopened screen shows its cached data without a request. */
const FRESH = 5_000;
/** Milliseconds: the longest wait between two attempts. */
const LONGEST_DELAY = 8_000;

export const queryClient = new QueryClient({
  defaultOptions: {
    // Without a network, a request fails with a sentence instead of silently waiting; it is retried once there is one.
    mutations: { networkMode: "always" },
    queries: {
      networkMode: "always",
      refetchOnReconnect: true,
      staleTime: FRESH,
      retry: (failures, error) => failures < RETRIES && error instanceof ApiFailure && error.isPassing,
      retryDelay: (attempt, error) => {
        const asked = error instanceof ApiFailure ? (error.retryAfter ?? 0) * 1000 : 0;
        return Math.min(LONGEST_DELAY, Math.max(asked, 500 * 2 ** attempt));
      },
    },
  },
});

/**
 * The options of all queries and mutations of the hooks. By default, TanStack Query pauses them without an error while
 * the browser is offline. With these options they run and fail with an `OfflineError`, which says what to do, and can
 * reach an oracle on this device.
 */
export const runsAlways = { networkMode: "always" } as const;

/** The same options for a query, which also reads again when the browser is online again. */
export const readsAlways = { ...runsAlways, refetchOnReconnect: true } as const;

/**
 * What all queries and mutations of the hooks have. By default TanStack Query holds them back, without an error, while the browser
 * counts as offline; ours run and fail with an `OfflineError`, which says what to do, and reach an oracle on this device.
 */
export const runsAlways = { networkMode: "always" } as const;

/** The same of a query, which is read again when the browser is online again. */
export const readsAlways = { ...runsAlways, refetchOnReconnect: true } as const;

/** Milliseconds between two looks at live sessions. An address has 100 requests a minute over all of the gateway (PH-87). */
export const REFRESH_INTERVAL = 5_000;

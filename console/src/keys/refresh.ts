/** Milliseconds between two requests for keys and webhooks that are shown: the change feed does not have them. */
export const REFRESH = 15_000;

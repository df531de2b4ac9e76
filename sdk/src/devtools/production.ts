/** What stands in the devtools' place in production: nothing is kept, and nothing is drawn. */
import type { Inspector } from "./inspector.ts";

const none: readonly [] = [];

export const noInspector: Inspector = {
  inspect: undefined,
  subscribe: () => () => undefined,
  getSnapshot: () => none,
  clear: () => undefined,
};

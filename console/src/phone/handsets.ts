/** The two handsets of this tab. They live in memory, so that a call goes on when another screen was looked at in between. */
import { createHandset, type Handset } from "./handset.ts";
import { browserServer } from "./server.ts";

export const handsets: readonly [Handset, Handset] = [createHandset(browserServer), createHandset(browserServer)];

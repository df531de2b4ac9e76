/** The two handsets of this tab. They live in memory, so that a call continues while another screen is open. */
import { createHandset, type Handset } from "./handset.ts";
import { browserServer } from "./server.ts";

export const handsets: readonly [Handset, Handset] = [createHandset(browserServer), createHandset(browserServer)];

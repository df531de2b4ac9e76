/** The history of this tab. */
import { useSyncExternalStore } from "react";
import { whenSignedOut } from "../session/sign-out.ts";
import { openQueryHistory, type AskedQuery } from "./query-history.ts";

export const tabHistory = openQueryHistory(sessionStorage);
whenSignedOut(tabHistory.clear);

export function useTabHistory(): readonly AskedQuery[] {
  return useSyncExternalStore(tabHistory.subscribe, tabHistory.read);
}

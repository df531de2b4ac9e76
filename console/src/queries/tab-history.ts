/** The history of this tab. */
import { useSyncExternalStore } from "react";
import { tabStorage } from "../api/api.ts";
import { whenSignedOut } from "../session/sign-out.ts";
import { openQueryHistory, type AskedQuery } from "./query-history.ts";

export const tabHistory = openQueryHistory(tabStorage);
whenSignedOut(tabHistory.clear);

export function useTabHistory(): readonly AskedQuery[] {
  return useSyncExternalStore(tabHistory.subscribe, tabHistory.read);
}

/** The drafts of this tab. */
import { useCallback, useSyncExternalStore } from "react";
import { tabStorage } from "../api/api.ts";
import { openDraftStore } from "./draft-store.ts";

export const drafts = openDraftStore(tabStorage);

export function useDraft(owner: string, place: string): readonly [string, (text: string) => void] {
  const text = useSyncExternalStore(drafts.subscribe, () => drafts.read(owner, place));
  return [text, useCallback((next: string) => drafts.keep(owner, place, next), [owner, place])];
}

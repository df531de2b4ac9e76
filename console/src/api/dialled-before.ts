/** Whether a phone of this console has been answered in this browser; the browser keeps that it was, and nothing about the call. */
import { openPageStorage } from "./page-storage.ts";

const storage = openPageStorage(() => localStorage);
const STORAGE_KEY = "twinedge console dialled";

export function hasDialledBefore(): boolean {
  return storage.getItem(STORAGE_KEY) !== null;
}

export function rememberDialling(): void {
  storage.setItem(STORAGE_KEY, "yes");
}

/**
 * The first steps that a user has taken in this browser. Steps of other users, sample data and a terminal do not count. The browser
 * stores that a step was taken, and nothing about it.
 */
import { openPageStorage } from "./page-storage.ts";

export type OwnAct = "create" | "roll" | "verify" | "dial" | "ask";

const storage = openPageStorage(() => localStorage);
const nameOf = (act: OwnAct): string => `twinedge console did ${act}`;

export function hasDone(act: OwnAct): boolean {
  return storage.getItem(nameOf(act)) !== null;
}

export function rememberAct(act: OwnAct): void {
  storage.setItem(nameOf(act), "yes");
}

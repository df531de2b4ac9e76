/**
 * House rule: grammar, folder by folder. A text of the interface has no fault anywhere. Documents, comments and test names have none
 * either, except in the folders of `prose-ratchet.json`: each may keep the number of faults that it lists, and the number only
 * falls. Pure, apart from the last function, which lowers the numbers.
 */
import { writeFileSync } from "node:fs";
import type { ProseFault } from "./prose.ts";

export type Allowed = Readonly<Record<string, number>>;

export interface FileFaults {
  readonly path: string;
  readonly faults: readonly ProseFault[];
}

/** The first two folders of a path: `docs/reference`, `console/src`; "." for the root. */
export function folderOf(path: string): string {
  return path.split("/").slice(0, -1).slice(0, 2).join("/") || ".";
}

export function overRatchet(files: readonly FileFaults[], allowed: Allowed): readonly string[] {
  const inInterface = files.flatMap(({ faults }) => faults.filter(({ isInterface }) => isInterface));
  const others = Object.entries(faultsByFolder(files)).flatMap(([folder, faults]) => {
    const most = allowed[folder] ?? 0;
    if (faults.length <= most) return [];
    return [
      `${folder}: ${faults.length} faults of grammar, ${most} are allowed (scripts/check/prose-ratchet.json)`,
      ...faults,
    ];
  });
  return [...inInterface.map(({ text }) => text), ...others];
}

/** The numbers after corrections; a folder without faults leaves the list. */
export function lowered(files: readonly FileFaults[], allowed: Allowed): Allowed {
  const found = faultsByFolder(files);
  const kept = Object.entries(allowed).map(
    ([folder, most]) => [folder, Math.min(most, found[folder]?.length ?? 0)] as const,
  );
  return Object.fromEntries(kept.filter(([, most]) => most > 0).toSorted(([one], [other]) => (one < other ? -1 : 1)));
}

export function writeAllowed(path: string, allowed: Allowed): void {
  writeFileSync(path, `${JSON.stringify(allowed, null, 2)}\n`);
}

function faultsByFolder(files: readonly FileFaults[]): Readonly<Record<string, readonly string[]>> {
  const folders: Record<string, string[]> = {};
  for (const { path, faults } of files)
    for (const { text, isInterface } of faults) if (!isInterface) (folders[folderOf(path)] ??= []).push(text);
  return folders;
}

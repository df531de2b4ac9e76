/**
 * House rules that lint cannot say: what a file is called, that it opens with a word on itself, how zod is imported.
 * Pure: a path and a text go in, sentences come out.
 */

/** Names that do not say what the file holds. */
const VAGUE_NAME = /^(utils?|helpers?|types|common|misc)(\.test)?\.tsx?$/;
/** A folder's index is a barrel, except for the entries: of the Worker and of folders that are separate packages. */
const INDEX = /(^|\/)index\.ts$/;
const ENTRIES: readonly string[] = [
  "workers/index.ts",
  "workers/oracle/index.ts",
  "workers/oracle/testing/index.ts",
  "sdk/src/index.ts",
  "sdk/src/core/index.ts",
  "sdk/src/live-agent/index.ts",
  "sdk/src/ai-sdk/index.ts",
  "sdk/src/devtools/index.ts",
  "socketio/index.ts",
];
/** `import * as z from "zod"` bundles a third of what the named or default import does. */
const NAMED_ZOD = /^import (?:type )?(?!type\b|\*)[^;]*? from "zod"/m;

export function houseFaults(path: string, text: string): readonly string[] {
  const name = path.slice(path.lastIndexOf("/") + 1);
  const faults: string[] = [];
  if (VAGUE_NAME.test(name)) faults.push("name the file after what it holds");
  if (INDEX.test(path) && !ENTRIES.includes(path)) faults.push("no barrels: import from the file that holds the thing");
  // A unit test's subject is the file beside it.
  if (!text.startsWith("/**") && !/\.test\.tsx?$/.test(name))
    faults.push("open with a header comment: what the file is, and what it leaves to others");
  if (NAMED_ZOD.test(text)) faults.push('write `import * as z from "zod"`');
  return faults.map((fault) => `${path}: ${fault}`);
}

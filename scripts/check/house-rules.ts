/**
 * House rules that lint cannot express: file names, header comments, imports of zod. Pure: a path and a text go in, sentences come
 * out.
 */

/** Names that do not describe the file's content. */
const VAGUE_NAME = /^(utils?|helpers?|types|common|misc)(\.test)?\.tsx?$/;
/** A folder's index is a barrel, except for the entries of the Worker and of folders that are separate packages. */
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
/** `import * as z from "zod"` bundles a third of the size of the named or default import. */
const NAMED_ZOD = /^import (?:type )?(?!type\b|\*)[^;]*? from "zod"/m;

export function houseFaults(path: string, text: string): readonly string[] {
  const name = path.slice(path.lastIndexOf("/") + 1);
  const faults: string[] = [];
  if (VAGUE_NAME.test(name)) faults.push("name the file after what it holds");
  if (INDEX.test(path) && !ENTRIES.includes(path)) faults.push("no barrels: import from the file that holds the thing");
  // A unit test's subject is the file next to it.
  if (!text.startsWith("/**") && !/\.test\.tsx?$/.test(name))
    faults.push("open with a header comment: what the file is, and what it leaves to others");
  if (NAMED_ZOD.test(text)) faults.push('write `import * as z from "zod"`');
  return faults.map((fault) => `${path}: ${fault}`);
}

/**
 * The client's state between two runs: the last session, and how much of its answer has been shown. The file is replaced by a
 * rename, so a kill leaves either the old or the new state, never half of one.
 */
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import * as z from "zod";

const chatState = z.object({
  version: z.literal(1),
  /** The server of the session. */
  url: z.string(),
  sessionId: z.string(),
  run: z
    .object({
      runId: z.string(),
      /** The id of the last shown frame; 0 before the first. */
      lastId: z.int().min(0),
      /** The answer as shown so far: a restarted server may cut it to a length that it names. */
      text: z.string(),
      ended: z.boolean(),
    })
    .optional(),
});

export type ChatState = z.output<typeof chatState>;

export interface StateFile {
  /** Undefined if there is no state, or none that this version can read. */
  read(): ChatState | undefined;
  /** Called after every frame: one small write and a rename, without waiting for the disk. */
  write(state: ChatState): void;
}

export function openStateFile(directory: string): StateFile {
  const path = join(directory, "state.json");
  // A separate name per process, so that two terminals never write into one unfinished file.
  const unfinished = join(directory, `.state-${process.pid}.json`);
  return {
    read() {
      try {
        return chatState.safeParse(JSON.parse(readFileSync(path, "utf8"))).data;
      } catch {
        return undefined;
      }
    },
    write(state) {
      mkdirSync(directory, { recursive: true, mode: 0o700 });
      try {
        writeFileSync(unfinished, JSON.stringify(state), { mode: 0o600 });
        renameSync(unfinished, path);
      } catch (error) {
        rmSync(unfinished, { force: true });
        throw error;
      }
    },
  };
}

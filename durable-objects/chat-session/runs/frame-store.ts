/**
 * All SQL about frames, which are stored before they are sent (contract/oracle.md section 5.2), and their pruning: a
 * run's frames live 24 hours past its end, and only for the newest 50 runs.
 */
import * as z from "zod";
import { parseStoredJson } from "../../../workers/platform/stored-json.ts";
import type { RunStore } from "./run-store.ts";

const runFrame = z.object({ partialLength: z.int().default(0) });
const messageFrame = z.object({ content: z.string() });

export interface Frame {
  readonly seq: number;
  readonly event: string;
  /** One line of JSON. */
  readonly data: string;
}

/** How long after a run's end its frames can still be replayed, milliseconds. */
export const FRAME_RETENTION_MS = 24 * 60 * 60 * 1000;
/** How many ended runs of a session keep their frames. */
export const REPLAYABLE_RUNS = 50;
/** Attempt n counts from n·2^32 + 1, so that ids always grow across restarts. */
export const ATTEMPT_STRIDE = 2 ** 32;

type StoredFrame = { seq: number; event: string; data: string };

export type FrameStore = ReturnType<typeof createFrameStore>;

export function createFrameStore(sql: SqlStorage) {
  return {
    append(run: number, frame: Frame): void {
      sql.exec(
        "INSERT INTO frames (run, seq, event, data) VALUES (?, ?, ?, ?)",
        run,
        frame.seq,
        frame.event,
        frame.data,
      );
    },

    /** Frames with an id above `after`, oldest first, until their data is `size` UTF-16 units long or longer. */
    after(run: number, after: number, size: number): readonly Frame[] {
      const found: Frame[] = [];
      let room = size;
      const rows = sql.exec<StoredFrame>(
        "SELECT seq, event, data FROM frames WHERE run = ? AND seq > ? ORDER BY seq",
        run,
        after,
      );
      for (const frame of rows) {
        found.push(frame);
        room -= frame.data.length;
        if (room <= 0) break;
      }
      return found;
    },

    /** The text of the answer in the frames between two ids, and where their `run` frame says that it begins. */
    textOf(run: number, after: number, until: number): { readonly partialLength: number; readonly text: string } {
      const rows = sql.exec<StoredFrame>(
        `SELECT seq, event, data FROM frames
         WHERE run = ? AND seq > ? AND seq <= ? AND event IN ('run', 'message') ORDER BY seq`,
        run,
        after,
        until,
      );
      const found = { partialLength: 0, text: "" };
      for (const { event, data } of rows) {
        if (event === "run") found.partialLength = parseStoredJson(runFrame, data, "frame").partialLength;
        else found.text += parseStoredJson(messageFrame, data, "frame").content;
      }
      return found;
    },

    last: (run: number): Frame | undefined =>
      sql
        .exec<StoredFrame>("SELECT seq, event, data FROM frames WHERE run = ? ORDER BY seq DESC LIMIT 1", run)
        .toArray()[0],

    /** Drops the frames whose time is up. */
    prune(runs: RunStore, now: number): void {
      for (const run of runs.forget(now - FRAME_RETENTION_MS, REPLAYABLE_RUNS)) {
        sql.exec("DELETE FROM frames WHERE run = ?", run);
      }
    },

    /** When the next ones are to be dropped, Unix milliseconds, or nothing. */
    nextPruning(runs: RunStore): number | undefined {
      const first = runs.firstEnd();
      return first === null ? undefined : first + FRAME_RETENTION_MS;
    },
  };
}

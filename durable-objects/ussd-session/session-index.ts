/**
 * Keeps the index of sessions up with the object (contract/ussd.md section 4): after the reply, one write at a time, the
 * newest record wins. A write that fails is made again by alarm and never shown.
 */
import type { Result } from "../../workers/platform/result.ts";
import type { SessionEntry } from "./ports.ts";
import { indexEntry, type SessionRecord } from "./session-record.ts";

export interface SessionIndexParts {
  saveSession(entry: SessionEntry): Promise<Result<void>>;
  background(work: Promise<void>): void;
  /** The index does not have what it was told. Waits its turn behind the step at work. */
  failed(): void;
}

export interface SessionIndex {
  save(record: SessionRecord): void;
  /** Done when the index has all that it was told, or could not be told it. */
  settled(): Promise<void>;
}

export function createSessionIndex({ saveSession, background, failed }: SessionIndexParts): SessionIndex {
  let waiting: SessionRecord | undefined;
  let saving: Promise<void> | undefined;

  async function saveAll(): Promise<void> {
    while (waiting !== undefined) {
      const record = waiting;
      waiting = undefined;
      const saved = await saveSession(indexEntry(record));
      if (!saved.ok && waiting === undefined) failed();
    }
    saving = undefined;
  }

  return {
    save(record) {
      waiting = record;
      if (saving !== undefined) return;
      saving = saveAll();
      background(saving);
    },
    settled: () => saving ?? Promise.resolve(),
  };
}

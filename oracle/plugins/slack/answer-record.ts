/** The stored state of one answer on its way to Slack, with which a retry after a crash neither loses nor repeats it. */
import * as z from "zod";
import type { JsonValue } from "../../../platform/json.ts";
import type { PluginKv } from "../../framework/storage.ts";

/** How many ended answers are remembered per user, so that their end is not repeated; older ones are deleted. */
export const REMEMBERED_ANSWERS = 100;

export interface AnswerRecord {
  /** The message into which the answer is streamed. Stored before its first word is sent. */
  readonly ts?: string | undefined;
  /** The text of that message, once appending has ended. Missing if the appending process was lost. */
  readonly sent?: string | undefined;
  /** How many parts of the answer were posted. */
  readonly posted?: number | undefined;
  readonly isFinished?: boolean | undefined;
}

const answerRecord: z.ZodType<AnswerRecord> = z.object({
  ts: z.string().optional(),
  sent: z.string().optional(),
  posted: z.int().optional(),
  isFinished: z.boolean().optional(),
});

export interface AnswerStore {
  read(): Promise<AnswerRecord | undefined>;
  write(record: AnswerRecord): Promise<void>;
  /** Records that the answer is complete. */
  finish(): Promise<void>;
}

const ENDED = "ended-answers";

/** `kv`: the storage of the turn's user. */
export function createAnswerStore(kv: PluginKv, runId: string): AnswerStore {
  const key = keyOf(runId);
  const write = (record: AnswerRecord): Promise<void> => kv.set(key, JSON.parse(JSON.stringify(record)) as JsonValue);
  return {
    async read() {
      const parsed = answerRecord.safeParse(await kv.get(key));
      return parsed.success ? parsed.data : undefined;
    },
    write,
    async finish() {
      await write({ isFinished: true });
      const earlier = z
        .array(z.string())
        .catch([])
        .parse(await kv.get(ENDED));
      const ended = [...earlier.filter((id) => id !== runId), runId];
      for (const id of ended.slice(0, -REMEMBERED_ANSWERS)) await kv.delete(keyOf(id));
      await kv.set(ENDED, ended.slice(-REMEMBERED_ANSWERS));
    },
  };
}

function keyOf(runId: string): string {
  return `answer/${runId}`;
}

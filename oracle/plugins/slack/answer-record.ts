/** What is known of one answer on its way to Slack, so that whoever continues it after a crash neither loses nor repeats it. */
import * as z from "zod";
import type { JsonValue } from "../../../platform/json.ts";
import type { PluginKv } from "../../framework/storage.ts";

/** How many ended answers are remembered for each user, so that their end is not made twice; older ones are deleted. */
export const REMEMBERED_ANSWERS = 100;

export interface AnswerRecord {
  /** Of the message that the answer is streamed into. Stored before its first word. */
  readonly ts?: string | undefined;
  /** What that message holds, once nothing more is appended to it. Missing: the process that appended was lost. */
  readonly sent?: string | undefined;
  /** How many parts of the answer stand in Slack. */
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
  /** Remembers that there is nothing left to do. */
  finish(): Promise<void>;
}

const ENDED = "ended-answers";

/** `kv`: of the user whose turn it is. */
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

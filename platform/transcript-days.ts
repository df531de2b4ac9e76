/** `ORACLE_TRANSCRIPT_DAYS`: how long a chat session is kept after its last message. */
import * as z from "zod";
import { integerVariable, oncePerIsolate } from "./config.ts";

const MAX_DAYS = 36_500;
const MS_PER_DAY = 86_400_000;

/** Days; 0 keeps sessions forever. */
export const transcriptDays = integerVariable(0, 0, MAX_DAYS);

/** Milliseconds; undefined if sessions are kept forever, or if the variable is invalid, which `/health` reports. */
export const transcriptTime = oncePerIsolate((env: object): number | undefined => {
  const read = z.object({ ORACLE_TRANSCRIPT_DAYS: transcriptDays }).safeParse(env);
  const days = read.success ? read.data.ORACLE_TRANSCRIPT_DAYS : 0;
  return days === 0 ? undefined : days * MS_PER_DAY;
});

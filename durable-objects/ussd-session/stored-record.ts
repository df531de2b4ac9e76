/** The record of a session as it lies in storage: read by its schema, since another version of this code may have written it. */
import * as z from "zod";
import { LANGUAGES } from "./i18n/languages.ts";
import type { SessionRecord } from "./session-record.ts";

const time = z.number();

const acceptedText = z.object({ length: z.number(), digest: z.string() });
const history = z.object({
  mode: z.enum(["undecided", "cumulative", "latest"]),
  accepted: z.array(acceptedText),
  answeredAt: time,
  requestIds: z.array(z.string()).exactOptional(),
  rawDigest: z.string().exactOptional(),
});

const draft = z.discriminatedUnion("kind", [
  z.object({
    kind: z.literal("creation"),
    step: z.enum(["emailEntry", "pinEntry"]),
    name: z.string(),
    email: z.string().nullable(),
    creationKey: z.string().exactOptional(),
  }),
  z.object({ kind: z.literal("question"), customerId: z.string(), jobId: z.string(), askedAt: time }),
]);

const counts = z.object({
  language: z.enum(LANGUAGES),
  screens: z.record(z.string(), z.object({ shown: z.number(), refused: z.number() })),
  steps: z.number(),
  resyncs: z.number(),
  overflows: z.number(),
  milestones: z.partialRecord(z.enum(["login", "account_created", "question_answered", "resumed"]), z.number()),
  latencies: z.record(z.string(), z.number()),
  latencySumMs: z.number(),
});

const sessionRecord = z.object({
  sessionId: z.string(),
  serviceCode: z.string(),
  phoneNumber: z.string(),
  provider: z.string().exactOptional(),
  status: z.enum(["opening", "live", "expired", "ended"]),
  seed: z.string(),
  language: z.enum(LANGUAGES),
  digestKey: z.string(),
  history,
  reply: z.object({ kind: z.enum(["CON", "END"]), body: z.string() }),
  screen: z.string(),
  // What is in the snapshot only the machine knows: conversation.ts restores it, or begins again.
  machine: z.object({ version: z.number(), snapshot: z.unknown(), pages: z.record(z.string(), z.number()) }).nullable(),
  state: z.string(),
  path: z.string(),
  authenticated: z.boolean(),
  draft: draft.nullable(),
  resumeUntil: time.nullable(),
  claimedBy: z.string().nullable(),
  startedAt: time,
  lastActivity: time,
  expiresAt: time,
  revision: z.number(),
  indexed: z
    .object({
      authenticated: z.boolean(),
      expiresAt: time,
      resumeUntil: time.nullable(),
      endedAt: time.nullable(),
    })
    .nullable(),
  counts: counts.nullable(),
});

/** Undefined when it cannot be read: the session is as good as gone, and its caller dials again. */
export function readStoredRecord(text: string): SessionRecord | undefined {
  try {
    return sessionRecord.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}

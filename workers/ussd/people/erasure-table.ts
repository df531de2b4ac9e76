/**
 * The table `phone_erasures` (migrations/0022): people whose erasure was requested. A row names its person until the erasure is
 * complete; then only a keyed digest is left, which tells after a restore who must be erased again.
 */
import type { Statement } from "../../../platform/database/database.ts";
import type { KeptPart } from "../../../platform/ports.ts";
import { readPerson, type Person } from "./person.ts";
import type { PeopleSettings } from "./people-settings.ts";

type TableSettings = Pick<PeopleSettings, "database" | "clock" | "ring">;

/** Milliseconds until an attempt that did not end counts as failed, so that another may begin. */
const ATTEMPT_MS = 5 * 60_000;
/** The longest pause between two attempts, milliseconds. */
const LONGEST_PAUSE_MS = 60 * 60_000;

export interface PhoneErasure {
  readonly subject: string;
  readonly person: Person;
  /** Unix milliseconds. Tells this request from a later one for the same person. */
  readonly requestedAt: number;
  /** How many attempts have begun, this one included. */
  readonly attempts: number;
}

export interface Receipt {
  /** The data that was deleted, as noun phrases. */
  readonly erased: readonly string[];
  readonly kept: readonly KeptPart[];
}

export type SubjectKind = "customer" | "phone";

/** The text whose keyed digest identifies an erased person. */
export function subjectText(kind: SubjectKind, name: string): string {
  return `${kind} ${name}`;
}

function nameOf({ customerId, phoneNumbers: [phoneNumber = ""] }: Person): readonly [SubjectKind, string] {
  return customerId === null ? ["phone", phoneNumber] : ["customer", customerId];
}

/** The keyed digest by which lists of erased people name the person. */
export function digestOf({ ring }: Pick<TableSettings, "ring">, person: Person): Promise<string> {
  const [kind, name] = nameOf(person);
  return ring.mac("erased", subjectText(kind, name));
}

/** The statement that notes the request. `begins`: an attempt begins now; otherwise the schedule begins one. */
export async function noteErasure(
  { database, clock, ring }: TableSettings,
  person: Person,
  begins: boolean,
): Promise<{ readonly statement: Statement; readonly erasure: PhoneErasure }> {
  const now = clock();
  const [kind] = nameOf(person);
  const subject = await digestOf({ ring }, person);
  const attempts = begins ? 1 : 0;
  const statement = database
    .prepare(
      `INSERT INTO phone_erasures (subject, key_id, kind, person, requested_at, attempts, next_attempt_at)
       VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
       ON CONFLICT (subject) DO UPDATE SET person = excluded.person, requested_at = excluded.requested_at,
         attempts = excluded.attempts, next_attempt_at = excluded.next_attempt_at, erased_at = NULL, receipt = NULL`,
    )
    .bind(subject, ring.currentId, kind, JSON.stringify(person), now, attempts, begins ? now + ATTEMPT_MS : now);
  return { statement, erasure: { subject, person, requestedAt: now, attempts } };
}

/** Erasures whose next attempt is due; each begins now. At most `limit`. */
export async function dueErasures({ database, clock }: TableSettings, limit: number): Promise<readonly PhoneErasure[]> {
  const now = clock();
  const { results } = await database
    .prepare(
      `UPDATE phone_erasures SET attempts = attempts + 1, next_attempt_at = ?2
       WHERE person IS NOT NULL AND subject IN (
         SELECT subject FROM phone_erasures WHERE person IS NOT NULL AND next_attempt_at <= ?1
         ORDER BY next_attempt_at, subject LIMIT ?3)
       RETURNING subject, person, requested_at AS requestedAt, attempts`,
    )
    .bind(now, now + ATTEMPT_MS, limit)
    .all<Omit<PhoneErasure, "person"> & { person: string }>();
  return results.flatMap(({ subject, person, requestedAt, attempts }) => {
    const read = readPerson(person);
    return read === undefined ? [] : [{ subject, person: read, requestedAt, attempts }];
  });
}

/** For the batch of the last step: forgets the person and stores the receipt. */
export function completeErasure(
  { database, clock }: TableSettings,
  { subject, requestedAt }: PhoneErasure,
  receipt: Receipt,
): Statement {
  return database
    .prepare(
      "UPDATE phone_erasures SET person = NULL, erased_at = ?3, receipt = ?4 WHERE subject = ?1 AND requested_at = ?2",
    )
    .bind(subject, requestedAt, clock(), JSON.stringify(receipt));
}

/** Plans the next attempt: after a minute, then twice as long each time, up to an hour. */
export async function postponeErasure(
  { database, clock }: TableSettings,
  { subject, requestedAt, attempts }: PhoneErasure,
): Promise<void> {
  const pause = Math.min(LONGEST_PAUSE_MS, 60_000 * 2 ** Math.min(Math.max(attempts - 1, 0), 10));
  await database
    .prepare(
      "UPDATE phone_erasures SET next_attempt_at = ?3 WHERE subject = ?1 AND requested_at = ?2 AND person IS NOT NULL",
    )
    .bind(subject, requestedAt, clock() + pause)
    .run();
}

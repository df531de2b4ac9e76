/**
 * Idempotency-Key: a repeated request gets the response of the first one. The response is stored in the batch of the
 * effect, so neither can exist without the other.
 */
import type { Statement } from "../../../platform/database/database.ts";
import type { Reply } from "../../../platform/http/route.ts";
import { success, type Result } from "../../../platform/result.ts";
import type { RegistryContext } from "../context.ts";
import { sha256Hex } from "../../../platform/digest.ts";
import { refused } from "../failures.ts";
import { readUse, useStatements, type IdempotencySlot } from "../store/idempotency-store.ts";
import { bytesOfAnswer, quotaStatements } from "../store/quota-store.ts";
import { boundedText, type TextRule } from "./body.ts";
import type { StoredAnswer } from "../store/stored-columns.ts";

/** Statements for the effect's batch; empty if the request has no key. */
export type Remember = (reply: Reply) => readonly Statement[];

/** How long a response can be replayed, in milliseconds. */
const REPLAY_LIFETIME = 24 * 60 * 60 * 1000;
const LONGEST_KEY = 255;
const KEY = new RegExp(`^[\\x20-\\x7e]{1,${LONGEST_KEY}}$`);

/**
 * Runs `effect` once per key. Its batch contains `remember(reply)`, so a second use of the key fails in the database,
 * and the first reply is replayed. There is no read before the effect, because most keys are used once. A failed
 * request leaves the key usable.
 */
export async function runOnce(
  c: RegistryContext,
  body: TextRule | undefined,
  effect: (remember: Remember) => Promise<Result<Reply>>,
): Promise<Result<Reply> | Response> {
  const key = idempotencyKey(c);
  if (!key.ok) return key;
  if (key.value === undefined) return effect(() => []);
  const text = await boundedText(c, body ?? {});
  if (!text.ok) return text;
  const { database, clock, config } = c.var.runtime;
  const { caller } = c.var;
  const slot: IdempotencySlot = {
    did: caller.did,
    method: c.req.method,
    path: decodedPath(c.env.path),
    key: key.value,
  };
  const fingerprint = await sha256Hex(text.value);
  const replay = async (): Promise<Result<Reply> | Response | undefined> => {
    const use = await readUse(database, slot, clock());
    if (use === undefined) return undefined;
    if (use.fingerprint === fingerprint) return replayed(use.answer);
    const message = "The Idempotency-Key was used with another body; use a new one";
    const details = [{ header: "Idempotency-Key", reason: "idempotency_mismatch", message }];
    return refused("idempotency_mismatch", message, { details });
  };
  const now = clock();
  let outcome: Result<Reply>;
  try {
    outcome = await effect((answer) => {
      const use = { fingerprint, answer: storedAnswer(answer) };
      return [
        ...quotaStatements(database, config, { caller, bytes: bytesOfAnswer(slot, use), at: now }),
        ...useStatements(database, slot, use, { now, expiresAt: now + REPLAY_LIFETIME }),
      ];
    });
  } catch (thrown) {
    const winner = await replay();
    if (winner !== undefined) return winner;
    throw thrown;
  }
  return outcome.ok ? outcome : ((await replay()) ?? outcome);
}

/** The caller's key without the quotes of a structured string; undefined if there is none. */
function idempotencyKey(c: RegistryContext): Result<string | undefined> {
  const header = c.req.header("Idempotency-Key");
  if (header === undefined) return success(undefined);
  const key = /^"(.*)"$/s.exec(header.trim())?.[1] ?? header.trim();
  if (KEY.test(key)) return success(key);
  const message = `Idempotency-Key must be 1 to ${LONGEST_KEY} printable ASCII characters`;
  return refused("validation_failed", message, { details: [{ header: "Idempotency-Key", reason: "format", message }] });
}

function replayed({ status, headers, body }: StoredAnswer): Response {
  return new Response(body, {
    status,
    headers: { "Content-Type": "application/json", ...headers, "Idempotent-Replayed": "true" },
  });
}

function storedAnswer({ status = 200, body, headers = {} }: Reply): StoredAnswer {
  return { status, headers, body: JSON.stringify(body) };
}

/** One form of the path, however its DID is escaped. */
function decodedPath(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

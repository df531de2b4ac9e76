/**
 * Idempotency-Key (contract/registry.md section 3.2): a request that is sent again gets the first one's answer. The
 * answer is stored in the batch of the effect, so that neither can exist without the other.
 */
import { success, type Result } from "../../platform/result.ts";
import { refuse, type RegistryContext } from "../context.ts";
import { sha256Hex } from "../../platform/digest.ts";
import { refused, registryFailure } from "../failures.ts";
import { readUse, useStatements, type IdempotencySlot, type StoredAnswer } from "../store/idempotency-store.ts";
import { bodyText } from "./body.ts";

/** What a route answers when it succeeds; `headers` such as ETag and Location. */
export interface Answer {
  readonly status: number;
  readonly body: object;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Statements that belong into the effect's batch; none when the request carries no key. */
export type Remember = (answer: Answer) => readonly D1PreparedStatement[];

/** How long an answer can be had again, milliseconds. */
const REPLAY_LIFETIME = 24 * 60 * 60 * 1000;
const LONGEST_KEY = 255;
const KEY = new RegExp(`^[\\x20-\\x7e]{1,${LONGEST_KEY}}$`);

/**
 * Runs `effect` once per key. Its batch holds `remember(answer)`, so that a second use of the key fails there, whatever
 * `effect` makes of that; the first one's answer is replayed instead. Nothing is read before: a first use is the usual one.
 * A request that fails leaves the key usable.
 */
export async function idempotent(
  c: RegistryContext,
  effect: (remember: Remember) => Promise<Result<Answer>>,
): Promise<Response> {
  const key = idempotencyKey(c);
  if (!key.ok) return refuse(c, key.error);
  if (key.value === undefined) return respond(c, await effect(() => []));
  const text = await bodyText(c);
  if (!text.ok) return refuse(c, text.error);
  const { database, clock } = c.var.runtime;
  const slot: IdempotencySlot = {
    did: c.var.caller.did,
    method: c.req.method,
    path: decodedPath(c.env.path),
    key: key.value,
  };
  const fingerprint = await sha256Hex(text.value);
  const replay = async (): Promise<Response | undefined> => {
    const use = await readUse(database, slot, clock());
    if (use === undefined) return undefined;
    if (use.fingerprint === fingerprint) return replayed(use.answer);
    const message = "The Idempotency-Key was used for another body; take a new one";
    const details = [{ header: "Idempotency-Key", reason: "idempotency_mismatch", message }];
    return refuse(c, registryFailure("idempotency_mismatch", message, { details }));
  };
  const now = clock();
  let outcome: Result<Answer>;
  try {
    outcome = await effect((answer) =>
      useStatements(
        database,
        slot,
        { fingerprint, answer: storedAnswer(answer) },
        { now, expiresAt: now + REPLAY_LIFETIME },
      ),
    );
  } catch (thrown) {
    const winner = await replay();
    if (winner !== undefined) return winner;
    throw thrown;
  }
  if (outcome.ok) return respond(c, outcome);
  return (await replay()) ?? refuse(c, outcome.error);
}

/** The caller's key without the quotes of a structured string; undefined when there is none. */
function idempotencyKey(c: RegistryContext): Result<string | undefined> {
  const header = c.req.header("Idempotency-Key");
  if (header === undefined) return success(undefined);
  const key = /^"(.*)"$/s.exec(header.trim())?.[1] ?? header.trim();
  if (KEY.test(key)) return success(key);
  const message = `Idempotency-Key must be 1 to ${LONGEST_KEY} printable ASCII characters`;
  return refused("validation_failed", message, { details: [{ header: "Idempotency-Key", reason: "format", message }] });
}

function respond(c: RegistryContext, outcome: Result<Answer>): Response {
  if (!outcome.ok) return refuse(c, outcome.error);
  return responseOf(storedAnswer(outcome.value));
}

function replayed(answer: StoredAnswer): Response {
  const response = responseOf(answer);
  response.headers.set("Idempotent-Replayed", "true");
  return response;
}

function storedAnswer({ status, body, headers = {} }: Answer): StoredAnswer {
  return { status, headers, body: JSON.stringify(body) };
}

function responseOf({ status, headers, body }: StoredAnswer): Response {
  return new Response(body, { status, headers: { "Content-Type": "application/json", ...headers } });
}

/** One path, however its DID is escaped. */
function decodedPath(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

/**
 * One batch of claims: leased, sent one by one with their ids as idempotency keys, and marked. A claim that was sent and not marked
 * is sent again with its key after its lease.
 */
import { creditsOf } from "../../../protocol/credits.ts";
import type { Logger } from "../../../platform/log.ts";
import { describeFailure, type Send } from "./sender.ts";
import { ATTEMPTS, type DeliveryTable, type DueClaim } from "./delivery-table.ts";

/** Number of concurrent requests. */
export const SENT_AT_ONCE = 5;
/** How long a batch starts new requests, milliseconds: a schedule is aborted after 30 seconds, and an attempt takes up to ten. */
export const BATCH_TIME_MS = 15_000;

export interface BatchOptions {
  readonly table: DeliveryTable;
  /** Undefined: nothing is sent, and claims are only marked. */
  readonly send: Send | undefined;
  /** Reports to the payers' ledgers that their service knows these turns. */
  readonly reported: (claims: readonly Pick<DueClaim, "payer" | "run_id">[], at: number) => Promise<void>;
  readonly now: () => number;
  readonly newId: () => string;
  readonly log: Logger;
}

export interface BatchOutcome {
  readonly processed: number;
  readonly failed: number;
  readonly remaining: number;
}

export async function sendBatch({ table, send, reported, now, newId, log }: BatchOptions): Promise<BatchOutcome> {
  const started = now();
  const lease = newId();
  const waiting = [...(await table.lease(lease, started))];
  let processed = 0;
  let failed = 0;

  async function submitted(claims: readonly DueClaim[], at: number): Promise<void> {
    // Must come first: a duplicate report is harmless, but a mark without a report would count the turns twice permanently.
    await reported(claims, at);
    await table.markSubmitted(claims.map(({ id }) => id));
    processed += claims.length;
  }

  async function sendOne(claim: DueClaim, through: Send): Promise<void> {
    const { id, payer, run_id: runId, amount, created_at: createdAt } = claim;
    const sent = await through({ id, payer, runId, amount: creditsOf(amount), createdAt });
    if (sent.ok) return submitted([claim], now());
    failed += 1;
    const reason = describeFailure(sent.error);
    // A receiver that is down fails every claim, so only claims that need an operator are logged.
    if (claim.attempts + 1 >= ATTEMPTS) log.error("claim-dead", { claim: id, reason });
    return table.markFailed(claim, lease, reason, now());
  }

  async function sendInTurn(through: Send): Promise<void> {
    while (now() - started < BATCH_TIME_MS) {
      const claim = waiting.shift();
      if (claim === undefined) return;
      await sendOne(claim, through);
    }
  }

  if (waiting.length > 0) {
    if (send === undefined) await submitted(waiting.splice(0), now());
    else await Promise.all(Array.from({ length: SENT_AT_ONCE }, () => sendInTurn(send)));
    if (waiting.length > 0) await table.release(lease);
  }
  const outcome = { processed, failed, remaining: await table.remaining() };
  if (processed + failed > 0) log.info("claims-sent", { ...outcome });
  return outcome;
}

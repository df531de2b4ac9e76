/**
 * The Durable Object of one payer's credits, bound as `CREDIT_LEDGER` and named by their DID: connects the ledger to
 * its storage, clock and alarm, and forwards each call. It is single-threaded, so two runs never spend one credit.
 */
import { DurableObject } from "cloudflare:workers";
import { createLedger } from "./credit-ledger/ledger.ts";
import { createLogger } from "../platform/log.ts";
import { count, sendCounts } from "../platform/metrics/counters.ts";
import { creditsOf } from "../protocol/credits.ts";
import type { CreditLedgerRpc, HoldRequest } from "../oracle/plugins/credits/ledger-rpc.ts";

export class CreditLedger extends DurableObject<Env> implements CreditLedgerRpc {
  readonly #ledger = createLedger(this.ctx.storage, Date.now);
  readonly #log = createLogger({ surface: "oracle", object: "credit-ledger" });
  /** The alarm that this instance has set. */
  #armed = Infinity;

  async hold(request: HoldRequest) {
    return this.#armedAfter(this.#ledger.hold(request));
  }

  async cover(runId: string, least: number, most?: number) {
    return this.#armedAfter(this.#ledger.cover(runId, least, most));
  }

  async settle(runId: string, cost: number, retentionMs?: number) {
    const settled = this.#ledger.settle(runId, cost, retentionMs);
    if (!settled.repeated) count(this.env, "oracle_credits_charged_total", {}, creditsOf(settled.charged));
    sendCounts(this.env, (work) => this.ctx.waitUntil(work), this.#log);
    return settled;
  }

  async grant(key: string, amount: number) {
    return this.#ledger.grant(key, amount);
  }

  async markReported(runIds: readonly string[], at: number): Promise<void> {
    this.#ledger.markReported(runIds, at);
  }

  async summary(initial: number) {
    return this.#ledger.summary(initial);
  }

  override async alarm(): Promise<void> {
    this.#armed = Infinity;
    this.#ledger.lapse();
    await this.#armedAfter(undefined);
  }

  /** If the alarm runs early, it finds nothing due and is set again, so settling a run need not move it. */
  async #armedAfter<Value>(answer: Value): Promise<Value> {
    const next = this.#ledger.nextLapse() ?? Infinity;
    if (next < this.#armed) {
      this.#armed = next;
      await this.ctx.storage.setAlarm(next);
    }
    return answer;
  }
}

/**
 * What belongs to one user across their sessions: the session index, their delegation, the throttle of the prompt to
 * re-authorise, what counts towards their limits, and the list of their sockets. It adapts RPC calls to the stores; whose
 * vault it is, what a session holds and who closes a socket are the callers' affair. The calls that count a request count
 * it first and refuse before any work. A vault that holds nothing but counts erases itself once they no longer matter.
 */
import { DurableObject } from "cloudflare:workers";
import type { Delegation } from "./chat-session/rpc.ts";
import type { SessionRecord } from "../protocol/records.ts";
import type { Admission } from "../workers/platform/rate-window.ts";
import { SOCKETS_PER_USER } from "./user-store/limits.ts";
import { createRequestJournal } from "./user-store/request-journal.ts";
import type {
  Admitted,
  ConnectedSocket,
  DailyLimits,
  SessionPage,
  SessionTouch,
  SocketPlace,
  StoredDelegation,
  RunReservation,
  RunUsage,
  UserStoreRpc,
} from "./user-store/rpc.ts";
import { createUserStoreSchema } from "./user-store/schema.ts";
import { createUserStore } from "./user-store/store.ts";
import { createRunCounts } from "./user-store/run-counts.ts";

export class UserVault extends DurableObject<Env> implements UserStoreRpc {
  #parts = this.#open();

  async admit(limit: number): Promise<Admission> {
    return this.#count(limit);
  }

  async countRun(rateLimit: number, runKey: string, limits: DailyLimits): Promise<Admitted<RunReservation>> {
    return this.#admitted(rateLimit, () => this.#reserve(runKey, limits));
  }

  async reserveRun(runKey: string, limits: DailyLimits): Promise<RunReservation> {
    return this.#reserve(runKey, limits);
  }

  async releaseRun(runKey: string): Promise<void> {
    this.#parts.turns.release(runKey);
  }

  async recordUsage(spent: readonly RunUsage[]): Promise<void> {
    for (const { runKey, tokens } of spent) this.#parts.turns.settle(runKey, tokens);
  }

  async listSessions(rateLimit: number, page: { limit: number; offset: number }): Promise<Admitted<SessionPage>> {
    return this.#admitted(rateLimit, () => this.#parts.store.listSessions(page));
  }

  async putSession(record: SessionRecord, limit = 0): Promise<boolean> {
    return this.#parts.store.putSession(record, limit);
  }

  async touchSession(sessionId: string, { spent = [], ...change }: SessionTouch): Promise<void> {
    this.#parts.store.touchSession(sessionId, change);
    for (const { runKey, tokens } of spent) this.#parts.turns.settle(runKey, tokens);
  }

  async removeSession(sessionId: string): Promise<void> {
    this.#parts.store.removeSession(sessionId);
  }

  async listSockets(sessionId: string, sockets: readonly ConnectedSocket[]): Promise<readonly SocketPlace[]> {
    return this.#parts.store.listSockets(sessionId, sockets, SOCKETS_PER_USER);
  }

  async storeDelegation(delegation: Delegation): Promise<void> {
    this.#parts.store.storeDelegation(delegation, nowSeconds());
  }

  async readDelegation(): Promise<StoredDelegation | null> {
    return this.#parts.store.delegation(nowSeconds());
  }

  async delegationStatus(rateLimit: number): Promise<Admitted<StoredDelegation | null>> {
    return this.#admitted(rateLimit, () => this.#parts.store.delegation(nowSeconds()));
  }

  async revokeDelegation(rateLimit: number): Promise<Admitted<null>> {
    return this.#admitted(rateLimit, () => {
      this.#parts.store.revokeDelegation(Date.now());
      return null;
    });
  }

  async delegationRevokedAt(): Promise<number | null> {
    return this.#parts.store.revokedAt();
  }

  async claimReauthorisationPrompt(throttleSeconds: number): Promise<boolean> {
    if (throttleSeconds <= 0) return true;
    const now = nowSeconds();
    const shownAt = this.#parts.store.promptShownAt();
    if (shownAt !== undefined && now < shownAt + throttleSeconds) return false;
    this.#parts.store.setPromptShownAt(now);
    return true;
  }

  override async alarm(): Promise<void> {
    const now = Date.now();
    this.#parts.requests.flush(now);
    if (!this.#parts.store.isEmpty()) return;
    const due = this.#countsEnd();
    if (due > now) return this.ctx.storage.setAlarm(due);
    await this.ctx.storage.deleteAll();
    this.#parts = this.#open();
  }

  #open() {
    const schema = createUserStoreSchema(this.ctx.storage);
    const schedule = (milliseconds: number, work: () => void): void => {
      setTimeout(() => {
        work();
        this.#eraseLater();
      }, milliseconds);
    };
    return {
      store: createUserStore(this.ctx.storage, schema),
      turns: createRunCounts(this.ctx.storage, schema),
      requests: createRequestJournal(this.ctx.storage, schema, schedule, Date.now),
    };
  }

  #count(limit: number): Admission {
    return this.#parts.requests.take(Date.now(), limit);
  }

  #reserve(runKey: string, limits: DailyLimits): RunReservation {
    const reservation = this.#parts.turns.reserve(runKey, limits, Date.now());
    if (reservation.reserved) this.#eraseLater();
    return reservation;
  }

  /** Until something of the user is stored, the counts are all there is: they shall not stay for ever. */
  #eraseLater(): void {
    if (this.#parts.store.isEmpty()) this.ctx.waitUntil(this.ctx.storage.setAlarm(this.#countsEnd()));
  }

  /** Unix milliseconds; now when nothing is counted. */
  #countsEnd(): number {
    const { requests, turns } = this.#parts;
    return Math.max(requests.lastLeaving() ?? 0, turns.lastLeaving() ?? 0, Date.now());
  }

  #admitted<Value>(rateLimit: number, work: () => Value): Admitted<Value> {
    const admission = this.#count(rateLimit);
    return admission.admitted ? { admission, value: work() } : { admission };
  }
}

function nowSeconds(): number {
  return Math.floor(Date.now() / 1000);
}

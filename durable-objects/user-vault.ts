/**
 * The store of one user, bound as `UserVault`: the index of their sessions, their delegation, the limit on prompts to
 * re-authorise, the counts for their limits, and the list of their sockets. Stores with other names hold the operator's budgets.
 * Its methods are the RPC calls: those that count a request count it first and refuse before any work. Its alarm deletes expired
 * values of plugins. A store that contains only counts erases itself once they no longer matter.
 */
import { DurableObject } from "cloudflare:workers";
import type { SessionRecord } from "../protocol/records.ts";
import { blobPlace, eraseBlobs } from "../oracle/framework/plugin-blobs.ts";
import { blobBucket, type KvExpiry, type KvRefusal } from "../oracle/framework/storage.ts";
import { createLogger, withoutSecretsOf } from "../platform/log.ts";
import type { Admission } from "../platform/rate-window.ts";
import { success, type Result } from "../platform/result.ts";
import { transcriptTime } from "../platform/transcript-days.ts";
import type { Delegation } from "../oracle/framework/delegation.ts";
import { createRequestJournal, createRunCounts } from "./user-vault/counts.ts";
import { claimPrompt, nowSeconds, revokeDelegations } from "./user-vault/delegations.ts";
import { deleteExpired, destroyOldSessions, destroySessions, oldestSessionEnd } from "./user-vault/erasure.ts";
import { createPluginValues, createRevision } from "./user-vault/plugin-values.ts";
import { createPluginTexts } from "./user-vault/texts.ts";
import type {
  ConnectedSocket,
  Counted,
  DailyLimits,
  PluginKeyPage,
  PluginText,
  PluginTextPage,
  RevocableDelegation,
  RunReservation,
  RunUsage,
  SessionPage,
  SessionTouch,
  SocketPlace,
  StoredDelegation,
  TokenGrant,
  TokenRequest,
} from "../oracle/user-vault-rpc.ts";
import { createUserVaultSchema } from "./user-vault/schema.ts";
import { SOCKETS_PER_USER, createUserVault } from "./user-vault/store.ts";

export type UserVaultRpc = Pick<UserVault, Exclude<keyof UserVault, keyof DurableObject>>;

export class UserVault extends DurableObject<Env> {
  readonly #log = createLogger({ surface: "oracle", object: "user-vault" }, withoutSecretsOf(this.env));
  readonly #sessionTime = transcriptTime(this.env);
  #parts = this.#open();

  /** Counts a request whose work is done elsewhere. `limit` is per sliding minute. */
  async countRequest(limit: number): Promise<Admission> {
    return this.#count(limit);
  }

  /**
   * Counts a request that starts a run, and the run. `runKey` makes the call idempotent. `revision` changes with each
   * write of a plugin.
   */
  async countRun(
    rateLimit: number,
    runKey: string,
    limits: DailyLimits,
  ): Promise<Counted<RunReservation> & { readonly revision?: string }> {
    const counted = this.#counted(rateLimit, () => this.#reserve(runKey, limits));
    return counted.value === undefined ? counted : { ...counted, revision: this.#parts.revision.now() };
  }

  /** Counts only a run, for a budget of the operator. */
  async reserveRun(runKey: string, limits: DailyLimits): Promise<RunReservation> {
    return this.#reserve(runKey, limits);
  }

  /**
   * Reserves tokens for a counted run; null if the day's tokens are used up. `limit` is per day. Repeating the call
   * replaces the reservation.
   */
  async reserveTokens(runKey: string, wanted: TokenRequest, limit: number): Promise<TokenGrant | null> {
    return this.#parts.runs.reserveTokens(runKey, wanted, limit, Date.now()) ?? null;
  }

  /** Releases a counted run that did not start. */
  async releaseRun(runKey: string): Promise<void> {
    this.#parts.runs.release(runKey);
  }

  /** Records the usage of counted runs; the latest call for a run counts. */
  async recordUsage(spent: readonly RunUsage[]): Promise<void> {
    this.#record(spent);
  }

  /** Newest `lastUpdatedAt` first, ties by sessionId. */
  async listSessions(rateLimit: number, page: { limit: number; offset: number }): Promise<Counted<SessionPage>> {
    return this.#counted(rateLimit, () => this.#parts.store.listSessions(page));
  }

  /**
   * Adds a session to the index, or replaces its record. Returns false, and stores nothing, if the session is new and
   * `limit` sessions are listed; 0 means no limit.
   */
  async putSession(record: SessionRecord, limit = 0): Promise<boolean> {
    const stored = this.#parts.store.putSession(record, limit);
    await this.#armForSessions();
    return stored;
  }

  /** Changes a listed session; an unlisted one stays unlisted. Usage counts either way. */
  async touchSession(sessionId: string, { spent = [], ...change }: SessionTouch): Promise<void> {
    this.#parts.store.touchSession(sessionId, change);
    this.#record(spent);
    // This call writes and is awaited anyway, so pending writes are included.
    this.#flush(Date.now());
    await this.#armForSessions();
  }

  async removeSession(sessionId: string): Promise<void> {
    this.#parts.store.removeSession(sessionId);
  }

  /**
   * Replaces the session's listed sockets.
   * @returns the user's oldest sockets above 32, in any session: removed from the list, for the caller to close.
   */
  async listSockets(sessionId: string, sockets: readonly ConnectedSocket[]): Promise<readonly SocketPlace[]> {
    return this.#parts.store.listSockets(sessionId, sockets, SOCKETS_PER_USER);
  }

  /** Replaces the stored delegation. Not counted, because verifying it was. */
  async storeDelegation(delegation: Delegation): Promise<void> {
    this.#parts.store.storeDelegation(delegation, nowSeconds());
  }

  /** The stored delegation unless it has expired. */
  async readDelegation(): Promise<StoredDelegation | null> {
    return this.#parts.store.delegation(nowSeconds());
  }

  async delegationStatus(rateLimit: number): Promise<Counted<StoredDelegation | null>> {
    return this.#counted(rateLimit, () => this.#parts.store.delegation(nowSeconds()));
  }

  /** Revokes the stored delegation and `presented`, so that they can no longer sign in. Returns their CIDs. */
  async revokeDelegation(rateLimit: number, presented?: RevocableDelegation): Promise<Counted<readonly string[]>> {
    const admission = this.#count(rateLimit);
    if (!admission.admitted) return { admission };
    return { admission, value: await revokeDelegations(this.#parts.store, presented) };
  }

  async isDelegationRevoked(cid: string): Promise<boolean> {
    return this.#parts.store.isRevoked(cid, nowSeconds());
  }

  /** When the user last revoked their delegation, Unix milliseconds: proofs from earlier delegations are refused. */
  async delegationRevokedAt(): Promise<number | null> {
    return this.#parts.store.revokedAt();
  }

  /** Whether the prompt to re-authorise may be shown now; showing it restarts the throttle. */
  async claimReauthorisationPrompt(throttleSeconds: number): Promise<boolean> {
    return claimPrompt(this.#parts.store, throttleSeconds);
  }

  /** A value of a plugin, as JSON; null if there is none. */
  async getPluginValue(plugin: string, key: string): Promise<string | null> {
    return this.#parts.values.get(plugin, key);
  }

  async setPluginValue(plugin: string, key: string, value: string): Promise<Result<null, KvRefusal>> {
    this.#parts.revision.next();
    return this.#parts.values.set(plugin, key, value);
  }

  /** Stores nothing if the key exists; returns whether the value was stored. */
  async addPluginValue(
    plugin: string,
    key: string,
    value: string,
    expiry?: KvExpiry,
  ): Promise<Result<boolean, KvRefusal>> {
    const { values, revision } = this.#parts;
    if (values.get(plugin, key) !== null) return success(false);
    revision.next();
    const blob = expiry?.blob === undefined ? {} : { blob: blobPlace(plugin, this.#did(), expiry.blob) };
    const stored = values.set(plugin, key, value, expiry && { at: expiry.at, ...blob });
    if (!stored.ok) return stored;
    // Called before the caller stores the blob that belongs to the value.
    if (expiry !== undefined) await this.ctx.storage.setAlarm(this.#earliest(values.nextExpiry()) ?? expiry.at);
    return success(true);
  }

  /** Returns whether it existed. */
  async deletePluginValue(plugin: string, key: string): Promise<boolean> {
    this.#parts.revision.next();
    const existed = this.#parts.values.delete(plugin, key);
    if (existed) this.#eraseLater();
    return existed;
  }

  async listPluginKeys(plugin: string, prefix: string, after: string | undefined): Promise<PluginKeyPage> {
    return this.#parts.values.list(plugin, prefix, after);
  }

  /** `details` is JSON. */
  async putPluginText(plugin: string, id: string, text: string, details: string): Promise<Result<null, KvRefusal>> {
    this.#parts.revision.next();
    return this.#parts.texts.put(plugin, { id, text, details }, Date.now());
  }

  async getPluginText(plugin: string, id: string): Promise<PluginText | null> {
    return this.#parts.texts.get(plugin, id);
  }

  /** Best matches first; a query without a word finds nothing. */
  async searchPluginTexts(plugin: string, query: string, limit: number): Promise<readonly PluginText[]> {
    return this.#parts.texts.search(plugin, query, limit);
  }

  /** Newest first, after the position `after`. */
  async listPluginTexts(plugin: string, after: number | undefined): Promise<PluginTextPage> {
    return this.#parts.texts.list(plugin, after);
  }

  /** Returns whether it existed. */
  async deletePluginText(plugin: string, id: string): Promise<boolean> {
    this.#parts.revision.next();
    const existed = this.#parts.texts.delete(plugin, id);
    if (existed) this.#eraseLater();
    return existed;
  }

  /** Returns how many there were. */
  async clearPluginTexts(plugin: string): Promise<number> {
    this.#parts.revision.next();
    const count = this.#parts.texts.clear(plugin);
    if (count > 0) this.#eraseLater();
    return count;
  }

  /** Destroys each session of the user, which stops its run. Throws if one is unreachable; calling it again continues. */
  async eraseSessions(): Promise<void> {
    await destroySessions(this.#parts.store, this.env.CHAT_SESSION, this.#did());
  }

  /**
   * Erases the user's sessions, blobs and data here. Throws if a part is unreachable; calling it again continues. Counts of the day and
   * revoked delegations stay: an erasure resets no limit, and revives no token.
   */
  async eraseUser(): Promise<void> {
    await this.eraseSessions();
    const bucket = blobBucket(this.env);
    if (bucket !== undefined) await eraseBlobs(bucket, this.#did());
    // A session that the user has opened meanwhile.
    await this.eraseSessions();
    this.#flush(Date.now());
    this.#parts.store.erase();
    this.#parts.revision.next();
    await this.ctx.storage.setAlarm(this.#countsEnd(Date.now()));
  }

  async #eraseAll(): Promise<void> {
    this.#flush(Date.now());
    await Promise.all([this.ctx.storage.deleteAlarm(), this.ctx.storage.deleteAll()]);
    this.#parts = this.#open();
  }

  #did(): string {
    const did = this.ctx.id.name;
    if (did === undefined) throw new Error("a user's object is reached by the user's DID");
    return did;
  }

  override async alarm(): Promise<void> {
    const now = Date.now();
    this.#flush(now);
    const { values, revision } = this.#parts;
    await destroyOldSessions(this.#parts.store, this.env.CHAT_SESSION, () => this.#did(), this.#sessionTime, now);
    const nextExpiry = this.#earliest(await deleteExpired(values, revision, blobBucket(this.env), this.#log, now));
    if (nextExpiry !== undefined) return this.ctx.storage.setAlarm(Math.max(nextExpiry, now));
    if (!this.#parts.store.isEmpty()) return;
    const due = this.#countsEnd(now);
    if (due > now) return this.ctx.storage.setAlarm(due);
    await this.#eraseAll();
  }

  /** The earlier of this time and the end of the oldest session. */
  #earliest(at: number | undefined): number | undefined {
    const end = oldestSessionEnd(this.#parts.store, this.#sessionTime);
    return end === undefined ? at : Math.min(end, at ?? end);
  }

  /** The end only moves to later times, so an alarm at an earlier time still sets the next one. */
  async #armForSessions(): Promise<void> {
    const end = oldestSessionEnd(this.#parts.store, this.#sessionTime);
    if (end === undefined) return;
    const set = await this.ctx.storage.getAlarm();
    if (set === null || set > end) await this.ctx.storage.setAlarm(end);
  }

  #open() {
    const schema = createUserVaultSchema(this.ctx.storage);
    const schedule = (milliseconds: number, work: () => void): void => {
      setTimeout(() => {
        work();
        this.#eraseLater();
      }, milliseconds);
    };
    return {
      store: createUserVault(this.ctx.storage, schema),
      values: createPluginValues(this.ctx.storage, schema),
      texts: createPluginTexts(this.ctx.storage, schema),
      runs: createRunCounts(this.ctx.storage, schema, schedule),
      requests: createRequestJournal(this.ctx.storage, schema, schedule, Date.now),
      revision: createRevision(),
    };
  }

  #count(limit: number): Admission {
    return this.#parts.requests.take(Date.now(), limit);
  }

  #reserve(runKey: string, limits: DailyLimits): RunReservation {
    return this.#parts.runs.reserve(runKey, limits, Date.now());
  }

  #record(spent: readonly RunUsage[]): void {
    const now = Date.now();
    const wereForgotten = spent.filter((usage) => this.#parts.runs.record(usage, now));
    // The user may have been erased meanwhile.
    if (wereForgotten.length > 0) this.#eraseLater();
  }

  #flush(now: number): void {
    this.#parts.requests.flush(now);
    this.#parts.runs.flush();
  }

  /** Until other data of the user is stored, the object contains only counts, which must not stay forever. */
  #eraseLater(): void {
    if (this.#parts.store.isEmpty()) this.ctx.waitUntil(this.ctx.storage.setAlarm(this.#countsEnd(Date.now())));
  }

  /** Unix milliseconds; `now` if nothing is counted. */
  #countsEnd(now: number): number {
    const { requests, runs } = this.#parts;
    return Math.max(requests.lastLeaving() ?? 0, runs.lastLeaving() ?? 0, now);
  }

  #counted<Value>(rateLimit: number, work: () => Value): Counted<Value> {
    const admission = this.#count(rateLimit);
    return admission.admitted ? { admission, value: work() } : { admission };
  }
}

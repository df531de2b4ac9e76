/**
 * What belongs to one user across his sessions (contract/oracle.md section 0): the session index, his delegation, the
 * throttle of the prompt to re-authorise, his rate counter and the list of his sockets. It adapts RPC calls to the store;
 * whose vault it is, what a session holds and who closes a socket are the callers' affair. The calls that count a request
 * count it first and refuse before any work.
 */
import { DurableObject } from "cloudflare:workers";
import type { Delegation, SessionRecord } from "./chat-session/rpc.ts";
import { createRateWindow, type Admission } from "../workers/platform/rate-window.ts";
import { SOCKETS_PER_USER } from "./user-vault/limits.ts";
import type {
  Admitted,
  ConnectedSocket,
  SessionPage,
  SocketPlace,
  StoredDelegation,
  UserVaultRpc,
} from "./user-vault/rpc.ts";
import { createVaultStore } from "./user-vault/store.ts";

/** `ORACLE_RATE_LIMIT_PER_MINUTE` is per sliding minute (decisions 1.7). */
const RATE_WINDOW_MS = 60_000;

export class UserVault extends DurableObject<Env> implements UserVaultRpc {
  readonly #store = createVaultStore(this.ctx.storage);
  /**
   * In memory only: storing it would make every read of the oracle a write. What an eviction forgets is cheap, for it
   * takes seconds without a single request, and the signed-in caller is known by name.
   */
  readonly #requests = createRateWindow(RATE_WINDOW_MS);

  async admit(limit: number): Promise<Admission> {
    return this.#requests.take(Date.now(), limit);
  }

  async listSessions(rateLimit: number, page: { limit: number; offset: number }): Promise<Admitted<SessionPage>> {
    return this.#admitted(rateLimit, () => this.#store.listSessions(page));
  }

  async putSession(record: SessionRecord): Promise<void> {
    this.#store.putSession(record);
  }

  async touchSession(sessionId: string, change: { title?: string; lastUpdatedAt?: string }): Promise<void> {
    this.#store.touchSession(sessionId, change);
  }

  async removeSession(sessionId: string): Promise<void> {
    this.#store.removeSession(sessionId);
  }

  async listSockets(sessionId: string, sockets: readonly ConnectedSocket[]): Promise<readonly SocketPlace[]> {
    return this.#store.listSockets(sessionId, sockets, SOCKETS_PER_USER);
  }

  async storeDelegation(delegation: Delegation): Promise<void> {
    this.#store.storeDelegation(delegation, nowSeconds());
  }

  async readDelegation(): Promise<StoredDelegation | null> {
    return this.#store.delegation(nowSeconds());
  }

  async delegationStatus(rateLimit: number): Promise<Admitted<StoredDelegation | null>> {
    return this.#admitted(rateLimit, () => this.#store.delegation(nowSeconds()));
  }

  async revokeDelegation(rateLimit: number): Promise<Admitted<null>> {
    return this.#admitted(rateLimit, () => {
      this.#store.revokeDelegation(Date.now());
      return null;
    });
  }

  async delegationRevokedAt(): Promise<number | null> {
    return this.#store.revokedAt();
  }

  async claimReauthorisationPrompt(throttleSeconds: number): Promise<boolean> {
    if (throttleSeconds <= 0) return true;
    const now = nowSeconds();
    const shownAt = this.#store.promptShownAt();
    if (shownAt !== undefined && now < shownAt + throttleSeconds) return false;
    this.#store.setPromptShownAt(now);
    return true;
  }

  #admitted<Value>(rateLimit: number, work: () => Value): Admitted<Value> {
    const admission = this.#requests.take(Date.now(), rateLimit);
    return admission.admitted ? { admission, value: work() } : { admission };
  }
}

function nowSeconds(): number {
  return Math.floor(Date.now() / 1000);
}

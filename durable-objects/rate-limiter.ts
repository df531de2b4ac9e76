/**
 * One client address of the phone gateway and its requests of the last minute (decisions 1.7, contract/ussd.md section
 * 9). It counts in memory and journals each admission: an object that rests for seconds may be evicted, and whoever
 * paused that long would otherwise start afresh. A refused request writes nothing, so a flood costs no storage. An
 * alarm erases everything once the address has been idle for a window, so that addresses do not pile up.
 */
import { DurableObject } from "cloudflare:workers";
import type { RateLimiterRpc } from "./rate-limiter/rpc.ts";
import { createAdmissionStore } from "./rate-limiter/store.ts";
import { createRateWindow, type Admission, type RateWindow } from "../workers/platform/rate-window.ts";

/** The limits of the phone gateway are per minute. */
const DEFAULT_WINDOW_SECONDS = 60;

export class RateLimiter extends DurableObject<Env> implements RateLimiterRpc {
  #store = createAdmissionStore(this.ctx.storage);
  #counting: { readonly windowMs: number; readonly window: RateWindow } | undefined;
  /** Whether this life of the object knows of an alarm that will erase it. */
  #armed = false;

  async take(limit: number, windowSeconds = DEFAULT_WINDOW_SECONDS): Promise<Admission> {
    const now = Date.now();
    const windowMs = windowSeconds * 1000;
    const admission = this.#windowOf(windowMs, now).take(now, limit);
    if (!admission.admitted) return admission;
    this.#store.add(now + windowMs, now);
    if (!this.#armed) {
      this.#armed = true;
      await this.ctx.storage.setAlarm(now + windowMs);
    }
    return admission;
  }

  override async alarm(): Promise<void> {
    const last = this.#store.lastLeaving();
    if (last !== undefined && last > Date.now()) {
      this.#armed = true;
      await this.ctx.storage.setAlarm(last);
      return;
    }
    this.#armed = false;
    this.#counting = undefined;
    this.#store = createAdmissionStore(this.ctx.storage);
    await this.ctx.storage.deleteAll();
  }

  /** Made from the journal in each life of the object; made anew should a caller ask for another window. */
  #windowOf(windowMs: number, now: number): RateWindow {
    if (this.#counting?.windowMs === windowMs) return this.#counting.window;
    const earlier = this.#store.leavingAfter(now).map((leavesAt) => leavesAt - windowMs);
    const window = createRateWindow(windowMs, earlier);
    this.#counting = { windowMs, window };
    return window;
  }
}

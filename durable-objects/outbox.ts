/**
 * The Durable Object of one external receiver: connects the outbox's core to its storage, clock, random source and
 * alarm, and forwards each call. `workers/index.ts` injects its receivers by kind: `sms`, `webhook:<id>`.
 */
import { DurableObject } from "cloudflare:workers";
import { createLogger } from "../platform/log.ts";
import { createOutbox } from "./outbox/outbox.ts";
import type { DeliveryPage, OutboxMessage, OutboxRpc } from "./outbox/rpc.ts";
import type { Senders } from "./outbox/sender.ts";

export interface OutboxSettings {
  readonly senders: (env: Env) => Senders;
}

export function defineOutbox({ senders }: OutboxSettings) {
  return class extends DurableObject<Env> implements OutboxRpc {
    readonly #name = this.ctx.id.name ?? "";
    readonly #core = createOutbox({
      name: this.#name,
      sender: senders(this.env)[this.#name.split(":", 1).join("")],
      storage: this.ctx.storage,
      erase: async () => {
        // Together, so that nothing can happen between them.
        await Promise.all([this.ctx.storage.deleteAlarm(), this.ctx.storage.deleteAll()]);
      },
      arm: (at) => (at === undefined ? this.ctx.storage.deleteAlarm() : this.ctx.storage.setAlarm(at)),
      now: Date.now,
      after: (milliseconds, work) => {
        const timer = setTimeout(work, milliseconds);
        return () => clearTimeout(timer);
      },
      random: Math.random,
      log: createLogger({ surface: "outbox", object: "outbox", outbox: this.#name }),
    });

    override alarm(): Promise<void> {
      return this.#core.ring();
    }

    enqueue(messages: readonly OutboxMessage[]) {
      return this.#core.enqueue(messages);
    }
    outcome(id: string, withinMs: number) {
      return this.#core.outcome(id, withinMs);
    }
    open(cursor: number, secret: string) {
      return this.#core.open(cursor, secret);
    }
    wake() {
      return this.#core.wake();
    }
    resume() {
      return this.#core.resume();
    }
    rotate(secret: string, overlapMs: number) {
      return this.#core.rotate(secret, overlapMs);
    }
    summary() {
      return this.#core.summary();
    }
    deliveries(page: DeliveryPage) {
      return this.#core.deliveries(page);
    }
    replay(ids: readonly string[] | "dead") {
      return this.#core.replay(ids);
    }
    messagesTo(to: string) {
      return this.#core.messagesTo(to);
    }
    forget(to: string) {
      return this.#core.forget(to);
    }
    recheck() {
      return this.#core.recheck();
    }
    close() {
      return this.#core.close();
    }
  };
}

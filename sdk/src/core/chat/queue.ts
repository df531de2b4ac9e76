/**
 * The messages of one chat that the oracle has not taken yet, oldest first. Each is stored before it is sent and until it was
 * taken, under the id with which it is sent, so that it arrives once, whatever happens to the page.
 */
import type { QueuedMessage, SendOptions } from "../chat.ts";
import type { Environment } from "../environment.ts";
import { RequestError } from "../errors.ts";
import type { QueueStore } from "../client-settings.ts";

/** A message as it is stored. */
export interface StoredMessage extends SendOptions {
  readonly id: string;
  readonly message: string;
  readonly createdAt: string;
  /** Messages are sent in this order. */
  readonly order: number;
  /** The page that sends it. */
  readonly owner: string;
  readonly state: QueuedMessage["state"];
  /** It was tried before: the oracle may have it already. */
  readonly wasTried: boolean;
  readonly refusal?: ConstructorParameters<typeof RequestError>[1] & { readonly message: string };
}

interface QueueOptions {
  readonly store: QueueStore;
  /** What the keys of this chat begin with. */
  readonly prefix: string;
  readonly owner: QueueOwner;
  readonly now: () => number;
  readonly onChange: () => void;
}

export type Queue = ReturnType<typeof createQueue>;

export function createQueue({ store, prefix, owner, now, onChange }: QueueOptions) {
  let entries: readonly StoredMessage[] = [];
  /** The one that is being sent. */
  let taken: string | undefined;
  /** Shown as a message of the conversation and not of the queue. One that was tried before waits here until it was taken. */
  let shown: string | undefined;
  /** The chat has stopped: whoever shows the session next sends what is stored. */
  let isLeft = false;
  let visible: readonly QueuedMessage[] | undefined;
  /** The ids of those that a reload would find. */
  const kept = new Set<string>();
  /** Writes happen one after the other, so that a message that was removed does not come back. */
  let written = Promise.resolve();

  function write(work: () => Promise<void>): Promise<void> {
    // A storage that fails costs only what a reload would have found in it.
    written = written.then(work).catch(() => undefined);
    return written;
  }

  function change(next: readonly StoredMessage[]): void {
    const left = isLeft ? next.filter(({ id }) => id === taken) : next;
    entries = left.toSorted((one, other) => one.order - other.order);
    visible = undefined;
    if (entries.length === 0) void write(releaseWhenEmpty);
    onChange();
  }

  async function releaseWhenEmpty(): Promise<void> {
    if (entries.length === 0) owner.release();
  }

  function released(id: string): void {
    if (taken === id) taken = shown = undefined;
  }

  function put(entry: StoredMessage): Promise<void> {
    change([...entries.filter(({ id }) => id !== entry.id), entry]);
    return keep(entry);
  }

  function keep(entry: StoredMessage): Promise<void> {
    return write(async () => {
      await owner.hold();
      const isKept = await store.set(prefix + entry.id, entry).then(
        (result) => result !== false,
        () => false,
      );
      if (isKept !== kept.has(entry.id)) {
        kept[isKept ? "add" : "delete"](entry.id);
        if (visible?.some(({ id }) => id === entry.id) === true) change(entries);
      }
      // A chat that has stopped meanwhile leaves it to others.
      await releaseWhenEmpty();
    });
  }

  function update(id: string, change: Partial<StoredMessage>): Promise<void> {
    const entry = entries.find((entry) => entry.id === id);
    return entry === undefined ? Promise.resolve() : put({ ...entry, ...change });
  }

  function remove(id: string): Promise<void> {
    released(id);
    kept.delete(id);
    change(entries.filter((entry) => entry.id !== id));
    return write(() => store.delete(prefix + id));
  }

  /** Takes over what another page left; returns the pages that have messages here and may still live. */
  async function adopt(isGone: (owner: string) => boolean): Promise<ReadonlySet<string>> {
    isLeft = false;
    for (const entry of entries) if (!kept.has(entry.id)) void keep(entry);
    const others = new Set<string>();
    // Of a storage that fails nothing can be taken over; what this page sends goes out all the same.
    const keys = await store.keys().catch((): readonly string[] => []);
    for (const key of keys) {
      if (!key.startsWith(prefix)) continue;
      const found = readStored(await store.get(key).catch(() => undefined));
      if (found === undefined || entries.some(({ id }) => id === found.id)) continue;
      if (found.owner !== owner.id && !isGone(found.owner)) others.add(found.owner);
      else void put({ ...found, owner: owner.id });
    }
    await written;
    return others;
  }

  return {
    /** What waits, without the message that the conversation shows. */
    visible(): readonly QueuedMessage[] {
      visible ??= entries.filter(({ id }) => id !== shown).map((entry) => queued(entry, kept.has(entry.id)));
      return visible;
    },
    /** Puts a message after all others; resolves once it is stored. */
    add(message: Pick<StoredMessage, "id" | "message"> & SendOptions): Promise<void> {
      const order = Math.max(now(), (entries.at(-1)?.order ?? 0) + 1);
      const createdAt = new Date(now()).toISOString();
      // As it travels: a function in the metadata could not be stored.
      const plain = JSON.parse(JSON.stringify(message)) as typeof message;
      return put({ ...plain, createdAt, order, owner: owner.id, state: "waiting", wasTried: false });
    },
    /** Whether there is a message to be sent. */
    hasNext: (): boolean => entries.some(isSendable),
    /** The next message to be sent. */
    take(): StoredMessage | undefined {
      const next = entries.find(isSendable);
      if (next === undefined || taken !== undefined) return undefined;
      taken = next.id;
      shown = next.wasTried ? undefined : next.id;
      visible = undefined;
      onChange();
      return next;
    },
    /** It is about to be sent; resolves once that is stored. */
    trying: (id: string): Promise<void> => update(id, { wasTried: true }),
    /** The oracle has it, or the user does not want it any more. */
    remove,
    /** It was not sent: back into the queue. */
    putBack(id: string, state: QueuedMessage["state"], error?: Error): Promise<void> {
      released(id);
      return update(id, { state, ...(error === undefined ? {} : { refusal: refusalOf(error) }) });
    },
    cancel(id: string): boolean {
      if (id === taken || !entries.some((entry) => entry.id === id)) return false;
      void remove(id);
      return true;
    },
    /** What waits is not sent until somebody says so. */
    pause(): void {
      for (const { id, state } of entries)
        if (state === "waiting" && id !== taken) void update(id, { state: "paused" });
    },
    /** What is paused waits again; the message `id` before all others, also when it was refused. */
    resume(id?: string): void {
      const first = entries[0]?.order ?? 0;
      for (const entry of entries) {
        if (entry.id === id) void put({ ...without(entry), state: "waiting", order: first - 1 });
        else if (entry.state === "paused") void update(entry.id, { state: "waiting" });
      }
    },
    isTaken: (id: string): boolean => taken === id,
    /** Whether an older one waits, which came to light after this one was taken. */
    isBehindOthers(id: string): boolean {
      const [first] = entries.filter(isSendable);
      return first !== undefined && first.id !== id;
    },
    adopt,
    /** Leaves what is stored to whoever shows the session next; a message that is being sent first arrives. */
    leave(): void {
      isLeft = true;
      change(entries);
    },
  };
}

const isSendable = ({ state }: StoredMessage): boolean => state === "waiting" || state === "offline";

/** As it can be stored. */
function refusalOf(error: Error): NonNullable<StoredMessage["refusal"]> {
  const { message } = error;
  if (!(error instanceof RequestError)) return { message, status: 0 };
  const { status, code, requestId, retryAfterMs, claims } = error;
  return { message, status, code, requestId, retryAfterMs, claims };
}

function without({ refusal: _refusal, ...entry }: StoredMessage): StoredMessage {
  return entry;
}

function queued(
  { order: _1, owner: _2, wasTried: _3, refusal, ...stored }: StoredMessage,
  isKept: boolean,
): QueuedMessage {
  const entry = { ...stored, isKept };
  if (refusal === undefined || entry.state !== "failed") return entry;
  const { message, ...facts } = refusal;
  return { ...entry, error: facts.status === 0 ? new Error(message) : new RequestError(message, facts) };
}

/** Undefined for what this version cannot send. */
function readStored(value: unknown): StoredMessage | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  const { id, message, owner, order, state } = value as Partial<StoredMessage>;
  const isWhole = [id, message, owner, state].every((text) => typeof text === "string") && typeof order === "number";
  return isWhole ? (value as StoredMessage) : undefined;
}

/**
 * Which page sends a stored message: the one that stored it, for as long as it lives; then the first that asks. Each page holds
 * a Web Lock as long as it has messages to send, and the browser frees it with the page. Without Web Locks no page can tell, so
 * every page sends what it finds, and the oracle takes each message once.
 */
export interface QueueOwner {
  readonly id: string;
  /** Whether it can be known that another page lives. */
  readonly canWait: boolean;
  /** Resolves once other pages can see that this one is there. */
  hold(): Promise<void>;
  release(): void;
  /** Runs the work while nobody else does and the page `owner` is gone; never runs it when the signal ends the wait. */
  whenGone(owner: string, signal: AbortSignal, work: () => Promise<void>): Promise<void>;
}

const lockName = (owner: string): string => `twinedge-queue-${owner}`;

export function createQueueOwner({ locks, newId }: Pick<Environment, "locks" | "newId">): QueueOwner {
  const id = newId();
  let held: { readonly granted: Promise<void>; readonly release: () => void } | undefined;

  function acquire(locks: NonNullable<Environment["locks"]>): NonNullable<typeof held> {
    let release: () => void = () => undefined;
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    const granted = new Promise<void>((resolve) => {
      locks
        .request(lockName(id), {}, async () => {
          resolve();
          await released;
        })
        // A page without access to locks sends all the same.
        .catch(() => resolve());
    });
    return { granted, release };
  }

  return {
    id,
    canWait: locks !== undefined,
    hold() {
      if (locks === undefined) return Promise.resolve();
      held ??= acquire(locks);
      return held.granted;
    },
    release() {
      held?.release();
      held = undefined;
    },
    async whenGone(owner, signal, work) {
      if (locks === undefined) return work();
      await locks.request(lockName(owner), { signal }, work).catch((error: unknown) => {
        if (!signal.aborted) throw error;
      });
    },
  };
}

interface AdoptionOptions {
  readonly queue: Queue;
  readonly owner: QueueOwner;
  /** There is something to send. */
  onAdopted(): void;
}

/** Takes over the messages that pages left unsent, now or as soon as those pages are gone. */
export function createAdoption({ queue, owner, onAdopted }: AdoptionOptions) {
  /** The pages whose end is waited for. */
  const awaited = new Set<string>();

  async function take(other: string, signal: AbortSignal): Promise<void> {
    awaited.add(other);
    try {
      await owner.whenGone(other, signal, async () => {
        // A chat that has stopped meanwhile would hold on to what it never sends.
        if (!signal.aborted) await queue.adopt((owner) => owner === other);
      });
    } catch {
      // Locks are forbidden here: the next look decides.
      return;
    } finally {
      awaited.delete(other);
    }
    if (!signal.aborted) onAdopted();
  }

  /** Looks what there is; resolves before the pages that still live are gone. */
  return async (signal: AbortSignal): Promise<void> => {
    const others = await queue.adopt(() => !owner.canWait);
    for (const other of others) if (!awaited.has(other)) void take(other, signal);
  };
}

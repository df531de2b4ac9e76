/**
 * The messages of one chat that the oracle has not accepted yet, oldest first. Each is stored before it is sent and
 * until it is accepted, with the id under which it is sent. It therefore arrives exactly once, even if the page closes.
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
  /** The page that sends the message. */
  readonly owner: string;
  readonly state: QueuedMessage["state"];
  /** The message was sent before, so the oracle may already have it. */
  readonly wasTried: boolean;
  readonly refusal?: ConstructorParameters<typeof RequestError>[1] & { readonly message: string };
}

interface QueueOptions {
  readonly store: QueueStore;
  /** The prefix of this chat's keys. */
  readonly prefix: string;
  readonly owner: QueueOwner;
  readonly now: () => number;
  readonly onChange: () => void;
}

export type Queue = ReturnType<typeof createQueue>;

export function createQueue({ store, prefix, owner, now, onChange }: QueueOptions) {
  let entries: readonly StoredMessage[] = [];
  /** The message that is being sent. */
  let taken: string | undefined;
  /**
   * The message that is shown in the conversation instead of the queue. A resent message stays in the queue until it is
   * accepted.
   */
  let shown: string | undefined;
  /** The chat has stopped. The next page that shows the session sends the stored messages. */
  let isLeft = false;
  let visible: readonly QueuedMessage[] | undefined;
  /** The ids of the messages that a reload would find. */
  const kept = new Set<string>();
  /** Writes run one after the other, so that a removed message does not reappear. */
  let written = Promise.resolve();

  function write(work: () => Promise<void>): Promise<void> {
    // If storage fails, only the recovery after a reload is lost.
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
      // If the chat has stopped in the meantime, other pages take over.
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

  /** Takes over the messages of closed pages. Returns the pages that have messages here and may still be open. */
  async function adopt(isGone: (owner: string) => boolean): Promise<ReadonlySet<string>> {
    isLeft = false;
    for (const entry of entries) if (!kept.has(entry.id)) void keep(entry);
    const others = new Set<string>();
    // If storage fails, adopt nothing; this page can still send.
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
    /** The waiting messages, without the one that the conversation shows. */
    visible(): readonly QueuedMessage[] {
      visible ??= entries.filter(({ id }) => id !== shown).map((entry) => queued(entry, kept.has(entry.id)));
      return visible;
    },
    /** Adds a message at the end. Resolves when it is stored. */
    add(message: Pick<StoredMessage, "id" | "message"> & SendOptions): Promise<void> {
      const order = Math.max(now(), (entries.at(-1)?.order ?? 0) + 1);
      const createdAt = new Date(now()).toISOString();
      // A JSON copy, because a function in the metadata cannot be stored.
      const plain = JSON.parse(JSON.stringify(message)) as typeof message;
      return put({ ...plain, createdAt, order, owner: owner.id, state: "waiting", wasTried: false });
    },
    /** Whether there is a message to send. */
    hasNext: (): boolean => entries.some(isSendable),
    /** The next message to send. */
    take(): StoredMessage | undefined {
      const next = entries.find(isSendable);
      if (next === undefined || taken !== undefined) return undefined;
      taken = next.id;
      shown = next.wasTried ? undefined : next.id;
      visible = undefined;
      onChange();
      return next;
    },
    /** The message is about to be sent. Resolves when that is stored. */
    trying: (id: string): Promise<void> => update(id, { wasTried: true }),
    /** The oracle has accepted the message, or the user has cancelled it. */
    remove,
    /** The message was not sent and returns to the queue. */
    putBack(id: string, state: QueuedMessage["state"], error?: Error): Promise<void> {
      released(id);
      return update(id, { state, ...(error === undefined ? {} : { refusal: refusalOf(error) }) });
    },
    cancel(id: string): boolean {
      if (id === taken || !entries.some((entry) => entry.id === id)) return false;
      void remove(id);
      return true;
    },
    /** Pauses the waiting messages until they are resumed. */
    pause(): void {
      for (const { id, state } of entries)
        if (state === "waiting" && id !== taken) void update(id, { state: "paused" });
    },
    /** Resumes the paused messages. The message `id` goes first, even if it was refused. */
    resume(id?: string): void {
      const first = entries[0]?.order ?? 0;
      for (const entry of entries) {
        if (entry.id === id) void put({ ...without(entry), state: "waiting", order: first - 1 });
        else if (entry.state === "paused") void update(entry.id, { state: "waiting" });
      }
    },
    isTaken: (id: string): boolean => taken === id,
    /** Whether an older message was found after this one was taken. */
    isBehindOthers(id: string): boolean {
      const [first] = entries.filter(isSendable);
      return first !== undefined && first.id !== id;
    },
    adopt,
    /**
     * Leaves the stored messages to the next page that shows the session. A message that is being sent arrives first.
     */
    leave(): void {
      isLeft = true;
      change(entries);
    },
  };
}

const isSendable = ({ state }: StoredMessage): boolean => state === "waiting" || state === "offline";

/** The error in a form that can be stored. */
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

/** Undefined if this version cannot send the value. */
function readStored(value: unknown): StoredMessage | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  const { id, message, owner, order, state } = value as Partial<StoredMessage>;
  const isWhole = [id, message, owner, state].every((text) => typeof text === "string") && typeof order === "number";
  return isWhole ? (value as StoredMessage) : undefined;
}

/**
 * Decides which page sends a stored message: the page that stored it, while it is open; then the first page that asks.
 * Each page holds a Web Lock while it has messages to send, and the browser releases the lock when the page closes.
 * Without Web Locks, pages cannot detect each other. Every page then sends the messages that it finds, and the oracle
 * accepts each message once.
 */
export interface QueueOwner {
  readonly id: string;
  /** Whether this page can detect other open pages. */
  readonly canWait: boolean;
  /** Resolves when other pages can detect this one. */
  hold(): Promise<void>;
  release(): void;
  /**
   * Runs the work when the page `owner` is closed and no other page runs it. Never runs it if the signal ends the wait.
   */
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
        // A page without access to locks sends anyway.
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
  /** There are messages to send. */
  onAdopted(): void;
}

/** Takes over the unsent messages of other pages, now or when those pages close. */
export function createAdoption({ queue, owner, onAdopted }: AdoptionOptions) {
  /** The pages that this page waits for. */
  const awaited = new Set<string>();

  async function take(other: string, signal: AbortSignal): Promise<void> {
    awaited.add(other);
    try {
      await owner.whenGone(other, signal, async () => {
        // A chat that has stopped in the meantime would keep messages that it never sends.
        if (!signal.aborted) await queue.adopt((owner) => owner === other);
      });
    } catch {
      // Locks are forbidden here, so the next check decides.
      return;
    } finally {
      awaited.delete(other);
    }
    if (!signal.aborted) onAdopted();
  }

  /** Checks for messages. Resolves without waiting for open pages to close. */
  return async (signal: AbortSignal): Promise<void> => {
    const others = await queue.adopt(() => !owner.canWait);
    for (const other of others) if (!awaited.has(other)) void take(other, signal);
  };
}

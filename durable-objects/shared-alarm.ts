/**
 * One alarm for several parts of an object: it runs when the first of them is due. After the object is loaded, the
 * parts are asked for their next times, so that an alarm set by an earlier instance is neither lost nor delayed.
 */
export interface AlarmPart {
  /** Called once, at first use: when the part is due according to its stored data, in Unix milliseconds. */
  readonly nextDue: () => number | undefined;
  /** Does the due work; returns when the part is due next. */
  readonly ring: () => number | undefined;
}

export interface SharedAlarmOptions<Part extends string> {
  readonly parts: Readonly<Record<Part, AlarmPart>>;
  /** Sets the one alarm, or deletes it. */
  readonly set: (at: number | undefined) => void;
  readonly now: () => number;
  /** A part threw. The others continue, and it is retried a minute later. */
  readonly onFailure: (part: Part, thrown: unknown) => void;
}

/** Delay before a failed part is retried, in milliseconds. */
const FAILED_PART_RETRY_MS = 60_000;

export function createSharedAlarm<Part extends string>({ parts, set, now, onFailure }: SharedAlarmOptions<Part>) {
  const names = Object.keys(parts) as Part[];
  let due: Map<Part, number> | undefined;
  let armed: number | undefined;

  function alone(part: Part, work: () => number | undefined): number | undefined {
    try {
      return work();
    } catch (thrown) {
      onFailure(part, thrown);
      return now() + FAILED_PART_RETRY_MS;
    }
  }

  function known(): Map<Part, number> {
    if (due !== undefined) return due;
    const times = new Map<Part, number>();
    due = times;
    for (const name of names) {
      const at = alone(name, parts[name].nextDue);
      // During this call, a part may also request a time: the earlier of the two counts.
      if (at !== undefined) times.set(name, Math.min(at, times.get(name) ?? at));
    }
    return times;
  }

  /** Sets the part's time, earlier or later than before, or removes it. */
  function want(part: Part, at: number | undefined): void {
    const times = known();
    if (at === undefined) times.delete(part);
    else times.set(part, at);
    const next = times.size === 0 ? undefined : Math.min(...times.values());
    if (next === armed) return;
    armed = next;
    set(next);
  }

  /** Deletes the alarm and the times of all parts. */
  function clear(): void {
    due = new Map();
    armed = undefined;
  }

  return {
    want,
    /** Like `want`, but an earlier requested time stays. */
    wantBy(part: Part, at: number): void {
      want(part, Math.min(at, known().get(part) ?? at));
    },
    /** Handles the alarm. */
    ring(): void {
      clear();
      const next = names.map((name) => [name, alone(name, parts[name].ring)] as const);
      for (const [name, at] of next) want(name, at);
    },
    clear,
  };
}

/**
 * One alarm for several parts of an object: it rings when the first of them is due. Their next times are asked of the parts
 * after the object was loaded, so that an alarm set by an earlier life is neither lost nor delayed.
 */
export interface AlarmPart {
  /** Asked once, at first use: when the part is due by what it finds stored, Unix milliseconds. */
  readonly nextDue: () => number | undefined;
  /** Does what is due; returns when the part is due next. */
  readonly ring: () => number | undefined;
}

export interface SharedAlarmOptions<Part extends string> {
  readonly parts: Readonly<Record<Part, AlarmPart>>;
  /** Sets the one alarm, or deletes it. */
  readonly set: (at: number | undefined) => void;
  readonly now: () => number;
  /** A part threw. The others continue, and it is asked again a minute later. */
  readonly onFailure: (part: Part, thrown: unknown) => void;
}

/** When a part that failed is tried again, milliseconds. */
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
      // A part that is asked may also want something at once: the earlier of the two counts.
      if (at !== undefined) times.set(name, Math.min(at, times.get(name) ?? at));
    }
    return times;
  }

  /** The part wants to be called at that time, sooner or later than before, or no longer. */
  function want(part: Part, at: number | undefined): void {
    const times = known();
    if (at === undefined) times.delete(part);
    else times.set(part, at);
    const next = times.size === 0 ? undefined : Math.min(...times.values());
    if (next === armed) return;
    armed = next;
    set(next);
  }

  /** The alarm is gone, and what the parts wanted with it. */
  function clear(): void {
    due = new Map();
    armed = undefined;
  }

  return {
    want,
    /** As `want`, but an earlier time that the part already wants stays. */
    wantBy(part: Part, at: number): void {
      want(part, Math.min(at, known().get(part) ?? at));
    },
    /** The alarm has gone off. */
    ring(): void {
      clear();
      const next = names.map((name) => [name, alone(name, parts[name].ring)] as const);
      for (const [name, at] of next) want(name, at);
    },
    clear,
  };
}

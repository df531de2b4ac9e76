/**
 * One alarm for several parts of an object: it rings when the first of them wants it. What they want is told by the
 * parts themselves after the object was loaded, so that an alarm set by an earlier life is neither lost nor put off.
 */
export interface SharedAlarmParts<Part extends string> {
  /** Asked once, at first use: what the parts want by what they find stored, Unix milliseconds. */
  readonly stored: () => Readonly<Record<Part, number | undefined>>;
  /** Sets the one alarm, or takes it away. */
  readonly set: (at: number | undefined) => void;
}

export interface SharedAlarm<Part extends string> {
  /** The part wants to be called at that time, sooner or later than before, or no longer. */
  want(part: Part, at: number | undefined): void;
  /** As `want`, but an earlier time that the part already wants stays. */
  wantBy(part: Part, at: number): void;
  /** It rang: nothing is set, and all parts are going to say anew what they want. */
  rang(): void;
}

export function createSharedAlarm<Part extends string>({ stored, set }: SharedAlarmParts<Part>): SharedAlarm<Part> {
  let wanted: Map<string, number> | undefined;
  let armed: number | undefined;

  function known(): Map<string, number> {
    if (wanted !== undefined) return wanted;
    const told = new Map<string, number>();
    wanted = told;
    // A part that is asked may find something that is due, and say so at once: of the two the earlier counts.
    for (const [part, at] of Object.entries<number | undefined>(stored())) {
      if (at !== undefined) told.set(part, Math.min(at, told.get(part) ?? at));
    }
    return told;
  }

  function want(part: Part, at: number | undefined): void {
    const times = known();
    if (at === undefined) times.delete(part);
    else times.set(part, at);
    const next = times.size === 0 ? undefined : Math.min(...times.values());
    if (next === armed) return;
    armed = next;
    set(next);
  }

  return {
    want,
    wantBy(part, at) {
      want(part, Math.min(at, known().get(part) ?? at));
    },
    rang() {
      wanted = new Map();
      armed = undefined;
    },
  };
}

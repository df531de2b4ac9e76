/** The ways between the screens of a menu file: where each leads, and what is known on the way. */
import { isSeen } from "../file-screen.ts";
import type { MenuFile } from "../menu-file.ts";
import type { FileScreen } from "../screen-schemas.ts";

export interface Way {
  readonly from: string;
  readonly to: string;
  /** The member of the screen that leads there, for the line of a fault. */
  readonly path: readonly PropertyKey[];
  /** The PIN was right. */
  readonly confirms?: true;
  /** Values that are set on this way. */
  readonly sets: readonly string[];
  /** `0`, which leads to where the caller has been. */
  readonly back?: true;
}

/** All ways out of a screen, except `0` to the previous screen. */
function waysFrom(name: string, screen: FileScreen): readonly Way[] {
  const way = (to: string, path: readonly PropertyKey[], more: Partial<Way> = {}): Way => ({
    from: name,
    to,
    path: ["screens", name, ...path],
    sets: more.sets ?? [],
    ...(more.confirms === undefined ? {} : { confirms: more.confirms }),
    ...(more.back === undefined ? {} : { back: more.back }),
  });
  const ways: Way[] = [];
  if (isSeen(screen) && screen.back !== undefined && screen.back !== "none")
    ways.push(way(screen.back, ["back"], { back: true }));
  if ("menu" in screen || "show" in screen)
    for (const [index, { to }] of (screen.options ?? []).entries()) ways.push(way(to, ["options", index, "to"]));
  else if ("call" in screen) {
    ways.push(way(screen.to, ["to"], { sets: Object.keys(screen.save ?? {}) }), way(screen.failed, ["failed"]));
    for (const [code, to] of Object.entries(screen.errors ?? {})) ways.push(way(to, ["errors", code]));
  } else if ("go" in screen) {
    for (const member of ["done", "back", "failed", "account", "question"] as const) {
      const to = (screen as Readonly<Record<string, unknown>>)[member];
      if (typeof to === "string") ways.push(way(to, [member]));
    }
  } else if ("ask" in screen) {
    if (screen.ask === "pin") ways.push(way(screen.to, ["to"], { confirms: true }), way(screen.locked, ["locked"]));
    else {
      const sets = [screen.save];
      ways.push(way(screen.to, ["to"], { sets }));
      if (screen.ask === "choice")
        for (const [index, { to }] of screen.choices.entries())
          if (to !== undefined) ways.push(way(to, ["choices", index, "to"], { sets }));
    }
  }
  return ways;
}

export function allWays(file: MenuFile): readonly Way[] {
  return Object.entries(file.screens).flatMap(([name, screen]) => waysFrom(name, screen));
}

export interface Known {
  /** The PIN was right and the caller has seen no screen since, on every way here. */
  readonly confirmed: boolean;
  /** Values that are set on every way here. */
  readonly set: ReadonlySet<string>;
}

/**
 * What is known on arrival at each screen, however the caller came there. A screen that no way reaches has no entry. The work is
 * bounded, because each change removes something from a finite set.
 */
export function knownOnArrival(file: MenuFile): ReadonlyMap<string, Known> {
  const known = new Map<string, Known>([[file.start, { confirmed: false, set: new Set() }]]);
  const waiting = [file.start];
  for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
    const screen = Object.hasOwn(file.screens, name) ? file.screens[name] : undefined;
    const here = known.get(name);
    if (screen === undefined || here === undefined) continue;
    // A screen that the caller sees ends the confirmation, and so does the write that it was for.
    const keeps = here.confirmed && "call" in screen && file.services?.[screen.call]?.write !== true;
    for (const { to, confirms, sets } of waysFrom(name, screen)) {
      const next = { confirmed: confirms === true || keeps, set: new Set([...here.set, ...sets]) };
      const before = known.get(to);
      const merged = before === undefined ? next : common(before, next);
      if (before !== undefined && isEqual(before, merged)) continue;
      known.set(to, merged);
      waiting.push(to);
    }
  }
  return known;
}

function common(one: Known, other: Known): Known {
  return {
    confirmed: one.confirmed && other.confirmed,
    set: new Set([...one.set].filter((name) => other.set.has(name))),
  };
}

function isEqual(one: Known, other: Known): boolean {
  return one.confirmed === other.confirmed && one.set.size === other.set.size;
}

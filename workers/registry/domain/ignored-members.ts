/**
 * Members of a body that creates a domain and that mean nothing there. They pass, since entity documents of the platform
 * carry many; the answer names them, so that a misspelt one does not get lost unseen.
 */
import type { JsonObject } from "../../platform/json.ts";
import { creationMembers, secondNames } from "./draft.ts";

/** Names that are listed, and characters of each. */
const NAMES = 50;
const NAME_LENGTH = 100;

const known = [...Object.keys(creationMembers.shape), ...Object.values(secondNames).map(([name]) => name)];

export interface IgnoredMembers {
  readonly ignored?: readonly string[];
  /** By ignored name: the member that it looks like. */
  readonly didYouMean?: Readonly<Record<string, string>>;
}

/** Without members when nothing is ignored. */
export function ignoredMembers(body: JsonObject): IgnoredMembers {
  const ignored = Object.keys(body)
    .filter((name) => !known.includes(name))
    .slice(0, NAMES)
    .map((name) => name.slice(0, NAME_LENGTH));
  if (ignored.length === 0) return {};
  const alike = ignored.flatMap((name): [string, string][] => {
    const meant = known.find((each) => isAlike(name, each));
    return meant === undefined ? [] : [[name, meant]];
  });
  return { ignored, ...(alike.length === 0 ? {} : { didYouMean: Object.fromEntries(alike) }) };
}

/** Letters that two spellings of one name may differ in. */
const TYPING_ERRORS = 2;

/** Case, dashes and underscores make no other name. */
function isAlike(name: string, wanted: string): boolean {
  const [one, other] = [name, wanted].map((each) => each.toLowerCase().replace(/[-_]/g, ""));
  return distance(one ?? "", other ?? "") <= Math.min(TYPING_ERRORS, Math.floor(wanted.length / 3));
}

/** Letters to add, drop, change or swap with their neighbour. */
function distance(one: string, other: string): number {
  let [beforeLast, last] = [[] as number[], Array.from({ length: other.length + 1 }, (_, at) => at)];
  for (let row = 1; row <= one.length; row += 1) {
    const current = [row];
    for (let column = 1; column <= other.length; column += 1) {
      const same = one[row - 1] === other[column - 1] ? 0 : 1;
      const swapped = one[row - 1] === other[column - 2] && one[row - 2] === other[column - 1];
      current[column] = Math.min(
        (current[column - 1] ?? 0) + 1,
        (last[column] ?? 0) + 1,
        (last[column - 1] ?? 0) + same,
        swapped ? (beforeLast[column - 2] ?? Infinity) + 1 : Infinity,
      );
    }
    [beforeLast, last] = [last, current];
  }
  return last[other.length] ?? 0;
}

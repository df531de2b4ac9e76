/** Which field of a form a problem stands at: the one whose place its pointer names or begins with, the deepest of several. Pure. */
import type { FieldProblem } from "../api/api-failure.ts";
import { namesIn } from "../api/json-pointer.ts";
import { sameJson } from "./same-json.ts";

export interface PlacedProblems {
  /** Sentences by the places of their fields. */
  readonly byPlace: ReadonlyMap<string, string>;
  /** Without a field of their own. */
  readonly others: readonly FieldProblem[];
}

/** @param places JSON pointers of what has a field. */
export function placeProblems(problems: readonly FieldProblem[], places: readonly string[]): PlacedProblems {
  const byPlace = new Map<string, string>();
  const others: FieldProblem[] = [];
  for (const problem of problems) {
    const pointer = pointerOf(problem);
    const [place] = places.filter((each) => holds(each, pointer)).toSorted((a, b) => b.length - a.length);
    if (place === undefined) others.push(problem);
    else if (!byPlace.has(place)) byPlace.set(place, problem.message);
  }
  return { byPlace, others };
}

/** Those of the server whose value is still what it was when it was sent: a correction takes the sentence away. */
export function stillThere(problems: readonly FieldProblem[], before: unknown, now: unknown): readonly FieldProblem[] {
  return problems.filter((problem) => sameJson(valueAt(before, pointerOf(problem)), valueAt(now, pointerOf(problem))));
}

/** The whole body is no place for what is wrong inside it. */
function holds(place: string, pointer: string): boolean {
  return pointer === place || (place !== "" && pointer.startsWith(`${place}/`));
}

/** The server names what stands in the path of a request without a slash. */
function pointerOf({ field }: FieldProblem): string {
  return field === "" || field.startsWith("/") ? field : `/${field}`;
}

function valueAt(body: unknown, pointer: string): unknown {
  let value = body;
  for (const name of namesIn(pointer)) {
    if (typeof value !== "object" || value === null) return undefined;
    value = (value as Readonly<Record<string, unknown>>)[name];
  }
  return value;
}

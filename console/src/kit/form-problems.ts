/** Which field of a form shows a problem: the innermost field that its JSON pointer names or is inside. */
import type { FieldProblem } from "../api/api-failure.ts";
import { namesIn } from "../api/json-pointer.ts";
import { sameJson } from "./same-json.ts";

export interface PlacedProblems {
  /** Sentences by the places of their fields. */
  readonly byPlace: ReadonlyMap<string, string>;
  /** Without a field. */
  readonly others: readonly FieldProblem[];
}

/** @param places JSON pointers that have a field. */
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

/** The server's problems in values that have not changed since: correcting a value removes its problem. */
export function stillThere(problems: readonly FieldProblem[], before: unknown, now: unknown): readonly FieldProblem[] {
  return problems.filter((problem) => sameJson(valueAt(before, pointerOf(problem)), valueAt(now, pointerOf(problem))));
}

/** A problem inside the body does not belong to the place "", the whole body. */
function holds(place: string, pointer: string): boolean {
  return pointer === place || (place !== "" && pointer.startsWith(`${place}/`));
}

/** The server names a path parameter without a leading slash. */
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

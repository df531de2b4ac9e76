/**
 * Whether one request can match two routes: a plugin's route that overlaps another one would shadow it, or never be reached.
 * And whether any request can match a path at all.
 */

export interface RouteShape {
  readonly method: string;
  /** As the router has it, such as `/weather/:city`; `/*` at the end covers everything below. */
  readonly path: string;
}

/** Of methods, `*` is every one. */
export function overlaps(one: RouteShape, other: RouteShape): boolean {
  const sameMethod = one.method === "*" || other.method === "*" || one.method === other.method;
  return sameMethod && variantsOf(one.path).some((a) => variantsOf(other.path).some((b) => meet(a, b)));
}

/** Whether every request that matches `other` matches `one` too. */
export function covers(one: RouteShape, other: RouteShape): boolean {
  const sameMethod = one.method === "*" || one.method === other.method;
  return sameMethod && variantsOf(other.path).every((b) => variantsOf(one.path).some((a) => includes(a, b)));
}

function includes(one: readonly string[], other: readonly string[]): boolean {
  for (let at = 0; ; at += 1) {
    const a = one[at];
    const b = other[at];
    if (a === "*" || (a === undefined && b === undefined)) return true;
    if (a === undefined || b === undefined) return false;
    const isAnyOne = a.startsWith(":") && !a.endsWith("}");
    if (a !== b && (!isAnyOne || isOpenEnd(b, other, at))) return false;
  }
}

/** A text, `:name`, `:name{pattern}`, and at the end of a path `:name?` and `*`. */
const SEGMENT = /^(?:[^\s:*?#{}]+|:\w+(?:\{[^/]+\})?)$/;
const LAST_SEGMENT = /^(?:\*|:\w+\?)$/;

/** Other paths are never matched: a request's path has no query and no fragment, and a slash at its end is ignored. */
export function isReachable(path: string): boolean {
  const [start, ...segments] = path.split("/");
  const isKnown = (segment: string, index: number) =>
    SEGMENT.test(segment) || (index === segments.length - 1 && LAST_SEGMENT.test(segment));
  return path === "/" || (start === "" && segments.length > 0 && segments.every(isKnown));
}

/** The segments of a path. One with an optional parameter at its end is two paths. */
function variantsOf(path: string): readonly (readonly string[])[] {
  const segments = path.split("/").slice(1);
  const last = segments.at(-1) ?? "";
  if (!/^:.*\?$/.test(last)) return [segments];
  return [segments.slice(0, -1), [...segments.slice(0, -1), last.slice(0, -1)]];
}

function meet(one: readonly string[], other: readonly string[]): boolean {
  for (let at = 0; ; at += 1) {
    const a = one[at];
    const b = other[at];
    if (a === undefined && b === undefined) return true;
    if (isOpenEnd(a, one, at) || isOpenEnd(b, other, at)) return true;
    if (a === undefined || b === undefined) return false;
    if (a !== b && !a.startsWith(":") && !b.startsWith(":")) return false;
  }
}

/** A wildcard, or a last parameter whose own pattern may contain slashes. */
function isOpenEnd(segment: string | undefined, path: readonly string[], at: number): boolean {
  return segment === "*" || (at === path.length - 1 && segment?.startsWith(":") === true && segment.endsWith("}"));
}

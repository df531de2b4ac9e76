/**
 * Whether one request can match two routes: a plugin's route that overlaps another would shadow it, or never be reached. Also
 * reports whether any request can match a path.
 */

export interface RouteShape {
  readonly method: string;
  /** In the router's syntax, such as `/weather/:city`; a final `/*` matches everything below. */
  readonly path: string;
}

/** The method `*` matches every method. */
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

/** A literal, `:name` or `:name{pattern}`; at the end of a path also `:name?` and `*`. */
const SEGMENT = /^(?:[^\s:*?#{}]+|:\w+(?:\{[^/]+\})?)$/;
const LAST_SEGMENT = /^(?:\*|:\w+\?)$/;

/** Other paths never match: a request's path has no query or fragment, and its trailing slash is ignored. */
export function isReachable(path: string): boolean {
  const [start, ...segments] = path.split("/");
  const isKnown = (segment: string, index: number) =>
    SEGMENT.test(segment) || (index === segments.length - 1 && LAST_SEGMENT.test(segment));
  return path === "/" || (start === "" && segments.length > 0 && segments.every(isKnown));
}

/** The segments of a path. A path with an optional last parameter becomes two paths. */
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

/** A wildcard, or a last parameter whose pattern may contain slashes. */
function isOpenEnd(segment: string | undefined, path: readonly string[], at: number): boolean {
  return segment === "*" || (at === path.length - 1 && segment?.startsWith(":") === true && segment.endsWith("}"));
}

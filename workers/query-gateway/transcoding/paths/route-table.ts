/**
 * Finds the route of a raw path in a tree of templates. Per segment, left to right, a literal beats `*` beats `**`, and
 * a dead end falls back to the next branch; among `**` the longest tail wins, then a declared verb, then the earlier
 * route.
 */
import { fail, newFailure, type Failure } from "../../../../platform/failure.ts";
import { failure, success, type Result } from "../../../../platform/result.ts";
import type { TranscodingLimits } from "../limits.ts";
import type { Template } from "./template.ts";

/** The parts of a route that the table needs. */
export interface Routable {
  /** `*` serves any. */
  readonly httpMethod: string;
  readonly template: Template;
}

interface RouteMatch<Route> {
  readonly route: Route;
  /** One per variable of the template, in order, decoded. */
  readonly values: readonly string[];
}

export interface RouteTable<Route> {
  /**
   * The route of a path without its query. HEAD finds GET's route unless a route declares it. Fails as `not_found`,
   * `method_not_allowed`, `invalid_request` (escapes, control bytes) or `uri_too_long`.
   */
  readonly match: (method: string, pathname: string) => Result<RouteMatch<Route>>;
  /** The methods in `Allow` for a path, `OPTIONS` last; `not_found` if no template matches. */
  readonly allowed: (pathname: string) => Result<readonly string[]>;
  /** Unreachable routes, each with the one that is reached instead: for the log at build. */
  readonly shadowed: readonly { readonly route: Route; readonly by: Route }[];
}

/** Routes of one template and verb, by HTTP method. */
type Leaf<Route> = Map<string, Route>;

interface Branch<Route> {
  readonly literals: Map<string, Branch<Route>>;
  single?: Branch<Route>;
  /** The branches after a `**` here, by the length of the tail, longest first. */
  readonly tails: { readonly length: number; readonly root: Branch<Route> }[];
  /** The leaves by verb, `""` for none. */
  readonly leaves: Map<string, Leaf<Route>>;
}

type Accept<Route> = (leaf: Leaf<Route>) => Route | undefined;

/** The methods that `*` is expanded to in a list. */
const COMMON_METHODS: readonly string[] = ["GET", "POST", "PUT", "PATCH", "DELETE"];

export function createRouteTable<Route extends Routable>(
  routes: readonly Route[],
  limits: TranscodingLimits,
): RouteTable<Route> {
  const root = emptyBranch<Route>();
  const shadowed: { route: Route; by: Route }[] = [];
  for (const route of routes) {
    const leaf = plant(root, route.template);
    const earlier = leaf.get(route.httpMethod);
    if (earlier === undefined) leaf.set(route.httpMethod, route);
    else shadowed.push({ route, by: earlier });
  }

  function allowedOf(path: RequestPath): readonly string[] {
    const methods = new Set<string>();
    find(root, path, (leaf) => {
      for (const method of leaf.keys()) methods.add(method);
      return undefined;
    });
    if (methods.size === 0) return [];
    if (methods.delete("*")) for (const method of COMMON_METHODS) methods.add(method);
    if (methods.has("GET")) methods.add("HEAD");
    methods.delete("OPTIONS");
    const order = ["GET", "HEAD", ...COMMON_METHODS.slice(1)];
    const rank = (method: string) => (order.includes(method) ? order.indexOf(method) : order.length);
    return [...[...methods].toSorted((a, b) => rank(a) - rank(b) || (a < b ? -1 : 1)), "OPTIONS"];
  }

  function allowed(pathname: string): Result<readonly string[]> {
    const path = readPath(pathname, limits);
    if (!path.ok) return path;
    const methods = allowedOf(path.value);
    return methods.length === 0 ? failure(NOT_FOUND) : success(methods);
  }

  return {
    shadowed,
    allowed,
    match: (method, pathname) => {
      const path = readPath(pathname, limits);
      if (!path.ok) return path;
      const route = find(
        root,
        path.value,
        (leaf) => leaf.get(method) ?? (method === "HEAD" ? leaf.get("GET") : undefined) ?? leaf.get("*"),
      );
      if (route !== undefined) return captured(route, path.value);
      const others = allowed(pathname);
      return others.ok ? fail("method_not_allowed", "Method Not Allowed") : others;
    },
  };
}

function emptyBranch<Route>(): Branch<Route> {
  return { literals: new Map(), tails: [], leaves: new Map() };
}

/** The leaf of a template, created if it is new. */
function plant<Route>(root: Branch<Route>, { segments, verb }: Template): Leaf<Route> {
  let branch = root;
  segments.forEach((segment, index) => {
    switch (segment.kind) {
      case "literal":
        branch = getOrMake(branch.literals, segment.value, emptyBranch<Route>);
        return;
      case "single":
        branch = branch.single ??= emptyBranch<Route>();
        return;
      case "multi":
        branch = tailOf(branch, segments.length - index - 1);
    }
  });
  return getOrMake(branch.leaves, verb, () => new Map<string, Route>());
}

function tailOf<Route>({ tails }: Branch<Route>, length: number): Branch<Route> {
  const existing = tails.find((tail) => tail.length === length);
  if (existing !== undefined) return existing.root;
  const root = emptyBranch<Route>();
  tails.push({ length, root });
  tails.sort((a, b) => b.length - a.length);
  return root;
}

function getOrMake<Key, Value>(map: Map<Key, Value>, key: Key, make: () => Value): Value {
  const existing = map.get(key);
  if (existing !== undefined) return existing;
  const value = make();
  map.set(key, value);
  return value;
}

/**
 * The best leaf that `accept` accepts. Visits each branch at most once per level, so its cost is bounded by the
 * templates.
 */
function find<Route>(root: Branch<Route>, path: RequestPath, accept: Accept<Route>): Route | undefined {
  const { segments, verb } = path;
  const count = segments.length;

  const leafOf = (branch: Branch<Route> | undefined, name: string) => {
    const leaf = branch?.leaves.get(name);
    return leaf === undefined ? undefined : accept(leaf);
  };
  /** The path is consumed: with its verb at `withVerb`, all of it data at `plain`. A `**` can still match nothing. */
  const finish = (withVerb: Branch<Route> | undefined, plain: Branch<Route> | undefined) => {
    const nothing = (branch: Branch<Route> | undefined) => branch?.tails.find(({ length }) => length === 0)?.root;
    return (
      (verb && leafOf(withVerb, verb.name)) ??
      leafOf(plain, "") ??
      (verb && leafOf(nothing(withVerb), verb.name)) ??
      leafOf(nothing(plain), "")
    );
  };
  const walk = (branch: Branch<Route>, index: number): Route | undefined => {
    const segment = segments[index] ?? "";
    const isLast = index === count - 1;
    const literal = branch.literals.get(segment);
    const taken = isLast
      ? (finish(verb && branch.literals.get(verb.base), literal) ?? finish(branch.single, branch.single))
      : ((literal && walk(literal, index + 1)) ?? (branch.single && walk(branch.single, index + 1)));
    if (taken !== undefined) return taken;
    for (const { length, root: tail } of branch.tails) {
      if (length > count - index) continue;
      const found = length === 0 ? finish(tail, tail) : walk(tail, count - length);
      if (found !== undefined) return found;
    }
    return undefined;
  };
  return walk(root, 0);
}

/** The values of a route's variables; segments after a `**` are counted from the end. */
function captured<Route extends Routable>(route: Route, { segments, verb }: RequestPath): Result<RouteMatch<Route>> {
  const { template } = route;
  const data = template.verb === "" || verb === undefined ? segments : [...segments.slice(0, -1), verb.base];
  const stretch = data.length - template.segments.length;
  const at = (index: number) => (template.multiAt !== -1 && index > template.multiAt ? index + stretch : index);
  const values = template.variables.map(({ start, end }) => data.slice(at(start), at(end)).join("/"));
  return values.some(holdsControl)
    ? fail("invalid_request", "A value in the path contains a control character")
    : success({ route, values });
}

interface RequestPath {
  /** Decoded once each; a slash inside one was `%2F`. */
  readonly segments: readonly string[];
  /** The last segment as `base:verb`, if possible; it stays data if no template declares the verb. */
  readonly verb?: { readonly base: string; readonly name: string };
}

/** Control characters have no meaning in names of the chain. */
const CONTROL = /\p{Cc}/u;

const NOT_FOUND: Failure = newFailure("not_found", "Not Found");

/** `not-found` for a path that no template can match, `invalid-argument` for a malformed escape. */
function readPath(pathname: string, limits: TranscodingLimits): Result<RequestPath> {
  if (pathname.length > limits.pathBytes)
    return fail("uri_too_long", `The path is longer than ${limits.pathBytes} bytes`);
  if (!pathname.startsWith("/")) return failure(NOT_FOUND);
  // One more than allowed shows that there are too many.
  const raw = pathname.slice(1).split("/", limits.segments + 1);
  if (raw.length > limits.segments) return fail("uri_too_long", `The path has more than ${limits.segments} segments`);
  const segments: string[] = [];
  for (const segment of raw) {
    if (segment.length > limits.segmentBytes)
      return fail("uri_too_long", `A segment of the path is longer than ${limits.segmentBytes} bytes`);
    const decoded = decodeSegment(segment);
    if (decoded === undefined)
      return fail("invalid_request", "The path contains an escape that is malformed or not UTF-8");
    segments.push(decoded);
  }
  // An empty segment is data only at the end.
  const empty = segments.indexOf("");
  if (empty !== -1 && empty < segments.length - 1) return failure(NOT_FOUND);
  return success({ segments, ...verbOf(raw.at(-1) ?? "") });
}

/** The raw colon decides: `%3Ado` is data, and so is a segment that starts or ends with a colon. */
function verbOf(raw: string): Pick<RequestPath, "verb"> {
  const colon = raw.lastIndexOf(":");
  if (colon < 1 || colon === raw.length - 1) return {};
  const base = decodeSegment(raw.slice(0, colon));
  const name = decodeSegment(raw.slice(colon + 1));
  return base === undefined || name === undefined ? {} : { verb: { base, name } };
}

export function holdsControl(value: string): boolean {
  return CONTROL.test(value);
}

function decodeSegment(raw: string): string | undefined {
  if (!raw.includes("%")) return raw;
  try {
    return decodeURIComponent(raw);
  } catch {
    return undefined;
  }
}

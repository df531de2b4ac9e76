/**
 * Finds the route of a path in a tree of templates (contract D, sections 2.2, 2.4, 2.5). Per segment, left to right, a
 * literal beats `*` beats `**`, and a branch that leads nowhere is given up for the next one; among `**` the longest tail
 * wins, then a declared verb, then the earlier declaration. Knows nothing of what a route is for.
 */
import { failure, success, type Result } from "../../../platform/result.ts";
import { invalidArgument, type TranscodingFault } from "../fault.ts";
import type { TranscodingLimits } from "../limits.ts";
import { holdsControl, readPath, type RequestPath } from "./raw-path.ts";
import type { Template } from "./template.ts";

/** What the table needs of a route. */
export interface Routable {
  /** `*` serves any. */
  readonly httpMethod: string;
  readonly template: Template;
}

export interface RouteMatch<Route> {
  readonly route: Route;
  /** One for each variable of the template, in its order, decoded. */
  readonly values: readonly string[];
}

export interface RouteTable<Route> {
  /**
   * The route of a path without its query. HEAD finds what GET finds unless a route declares it. Faults: `not-found`,
   * `method-not-allowed` with `allow`, `invalid-argument` (escapes, control bytes), `too-long`.
   */
  readonly match: (method: string, pathname: string) => Result<RouteMatch<Route>, TranscodingFault>;
  /** What `Allow` lists for a path, `OPTIONS` last; `not-found` when no template matches it. */
  readonly allowed: (pathname: string) => Result<readonly string[], TranscodingFault>;
  /** Routes that can never be reached, each with the one that takes its place: for the log at build. */
  readonly shadowed: readonly { readonly route: Route; readonly by: Route }[];
}

/** Routes of one template and verb, by HTTP method. */
type Leaf<Route> = Map<string, Route>;

interface Branch<Route> {
  readonly literals: Map<string, Branch<Route>>;
  single?: Branch<Route>;
  /** What follows a `**` here, by the length of the tail, longest first. */
  readonly tails: { readonly length: number; readonly root: Branch<Route> }[];
  /** By verb, `""` for none. */
  readonly leaves: Map<string, Leaf<Route>>;
}

type Accept<Route> = (leaf: Leaf<Route>) => Route | undefined;

/** Methods that `*` stands for where they must be listed. */
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

  return {
    shadowed,
    match: (method, pathname) => {
      const path = readPath(pathname, limits);
      if (!path.ok) return path;
      const route = find(
        root,
        path.value,
        (leaf) => leaf.get(method) ?? (method === "HEAD" ? leaf.get("GET") : undefined) ?? leaf.get("*"),
      );
      if (route !== undefined) return captured(route, path.value);
      const allow = allowedOf(path.value);
      return failure(
        allow.length === 0
          ? { kind: "not-found", message: "Not Found" }
          : { kind: "method-not-allowed", message: "Method Not Allowed", allow },
      );
    },
    allowed: (pathname) => {
      const path = readPath(pathname, limits);
      if (!path.ok) return path;
      const allow = allowedOf(path.value);
      return allow.length === 0 ? failure({ kind: "not-found", message: "Not Found" }) : success(allow);
    },
  };
}

function emptyBranch<Route>(): Branch<Route> {
  return { literals: new Map(), tails: [], leaves: new Map() };
}

/** The leaf of a template, grown when it is new. */
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

/** The best leaf that `accept` takes. Visits each branch at most once a level, so its cost is bounded by the templates. */
function find<Route>(root: Branch<Route>, path: RequestPath, accept: Accept<Route>): Route | undefined {
  const { segments, verb } = path;
  const count = segments.length;

  const leafOf = (branch: Branch<Route> | undefined, name: string) => {
    const leaf = branch?.leaves.get(name);
    return leaf === undefined ? undefined : accept(leaf);
  };
  /** The path is used up: with its verb at `spoken`, all of it data at `plain`. A `**` may still stand for nothing. */
  const finish = (spoken: Branch<Route> | undefined, plain: Branch<Route> | undefined) => {
    const nothing = (branch: Branch<Route> | undefined) => branch?.tails.find(({ length }) => length === 0)?.root;
    return (
      (verb && leafOf(spoken, verb.name)) ??
      leafOf(plain, "") ??
      (verb && leafOf(nothing(spoken), verb.name)) ??
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

/** The values of a route's variables; a `**` makes what follows it count from the end. */
function captured<Route extends Routable>(
  route: Route,
  { segments, verb }: RequestPath,
): Result<RouteMatch<Route>, TranscodingFault> {
  const { template } = route;
  const data = template.verb === "" || verb === undefined ? segments : [...segments.slice(0, -1), verb.base];
  const stretch = data.length - template.segments.length;
  const at = (index: number) => (template.multiAt !== -1 && index > template.multiAt ? index + stretch : index);
  const values = template.variables.map(({ start, end }) => data.slice(at(start), at(end)).join("/"));
  return values.some(holdsControl)
    ? invalidArgument("A value in the path holds a control character")
    : success({ route, values });
}

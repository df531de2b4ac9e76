/** Which methods a path has, for the `Allow` of a 405: read from the routes themselves, so that it cannot lie. */
interface Route {
  readonly method: string;
  /** As the router has it: `/v1/voters/:did`. */
  readonly path: string;
}

/** In alphabetical order; empty when there is nothing at the path. What runs around every route has no method. */
export function methodsAt(routes: readonly Route[], path: string): readonly string[] {
  const methods = new Set(
    routes.filter((route) => route.method !== "ALL" && covers(route.path, path)).map(({ method }) => method),
  );
  if (methods.has("GET")) methods.add("HEAD");
  return [...methods].toSorted();
}

function covers(pattern: string, path: string): boolean {
  const [wanted, given] = [pattern.split("/"), path.split("/")];
  if (wanted.length !== given.length) return false;
  return wanted.every((segment, at) => (segment.startsWith(":") ? given[at] !== "" : segment === given[at]));
}

/**
 * The responses for a path that no surface serves: a browser gets a page instead, and programs get the surface's
 * response.
 */
const marked = new WeakSet<Response>();

export function ofUnknownPath(response: Response): Response {
  marked.add(response);
  return response;
}

export function isOfUnknownPath(response: Response): boolean {
  return marked.has(response);
}

/** Whether a user opens an address in a browser. */
export function isOpenedInBrowser({ method, headers }: Request): boolean {
  return method === "GET" && headers.get("Accept")?.includes("text/html") === true;
}

/** A table of routes: method, path with named segments, and the function that answers. */
import type { Account } from "./account.ts";
import type { Answer } from "./answers.ts";

export interface Call {
  readonly account: Account;
  /** The segments that the path names. */
  readonly at: (name: string) => string;
  readonly query: URLSearchParams;
  readonly request: Request;
}

export type Route = readonly [
  method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE",
  path: string,
  answer: (call: Call) => Answer | Promise<Answer>,
];

interface FoundRoute {
  readonly answer: Route[2];
  readonly at: (name: string) => string;
}

export function findRoute(routes: readonly Route[], method: string, path: string): FoundRoute | undefined {
  const segments = path.split("/");
  for (const [verb, pattern, answer] of routes) {
    const wanted = pattern.split("/");
    if (verb !== method || wanted.length !== segments.length) continue;
    const isMatch = wanted.every((segment, index) => segment.startsWith(":") || segment === segments[index]);
    if (!isMatch) continue;
    return { answer, at: (name) => decodeURIComponent(segments[wanted.indexOf(`:${name}`)] ?? "") };
  }
  return undefined;
}

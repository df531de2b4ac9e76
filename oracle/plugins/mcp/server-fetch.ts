/**
 * Requests to one configured server. They go only to its origin, with its headers and those of the user's sign-in. A refusal is
 * recorded, since the client library only throws.
 */
import type { Authorization, ServerRefusal } from "./authorization.ts";
import { limited } from "./response-limit.ts";
import type { McpServer } from "./settings.ts";

export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

export interface ServerFetchOptions {
  readonly server: McpServer;
  readonly fetch: Fetch;
  /** Headers for this user or this call; sent after the server's. */
  readonly headers: Readonly<Record<string, string>>;
  /** Aborts every request. */
  readonly signal: AbortSignal;
  /** Called once when the server refuses: returns new headers, or why there are none. */
  readonly onRefused?: ((refusal: ServerRefusal) => Promise<Authorization>) | undefined;
}

export interface ServerFetch {
  fetch(url: string | URL, init?: RequestInit): Promise<Response>;
  /** Why the server takes no more requests of this user, if it does not. */
  readonly refusal: Exclude<Authorization, { kind: "headers" }> | undefined;
}

export function createServerFetch({ server, fetch, signal, onRefused, ...options }: ServerFetchOptions): ServerFetch {
  const { origin } = new URL(server.url);
  let headers = options.headers;
  let mayAsk = onRefused !== undefined;
  let refusal: ServerFetch["refusal"];

  async function send(url: string, init: RequestInit): Promise<Response> {
    const merged = new Headers(init.headers);
    for (const [name, value] of [...Object.entries(server.headers), ...Object.entries(headers)])
      merged.set(name, value);
    const signals = init.signal instanceof AbortSignal ? [signal, init.signal] : [signal];
    const response = await fetch(url, {
      ...init,
      headers: merged,
      redirect: "manual",
      signal: AbortSignal.any(signals),
    });
    return limited(response, init.body);
  }

  return {
    get refusal() {
      return refusal;
    },
    async fetch(address, init = {}) {
      const url = new URL(address);
      if (url.origin !== origin) throw new TypeError(`a request of ${server.name} to another origin was refused`);
      const response = await send(url.href, init);
      if ((response.status !== 401 && response.status !== 403) || onRefused === undefined || !mayAsk) return response;
      mayAsk = false;
      const wwwAuthenticate = response.headers.get("www-authenticate") ?? undefined;
      const answer = await onRefused({ status: response.status, wwwAuthenticate, headers });
      if (answer.kind !== "headers") {
        refusal = answer;
        return response;
      }
      headers = answer.headers;
      await response.body?.cancel();
      return send(url.href, init);
    },
  };
}

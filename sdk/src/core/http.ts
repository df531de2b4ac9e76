/** Requests to one oracle in the name of one user: tokens, renewal after a 401 or 403, errors that say what to do. */

export interface RequestOptions {
  readonly method?: "GET" | "POST" | "PUT" | "DELETE" | "PATCH";
  /** Sent as JSON. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
}

export interface OracleHttp {
  /** Parsed JSON; throws `RequestError` for a refusal, `OfflineError` when nobody answered. `path` begins with `/`. */
  json<T>(path: string, options?: RequestOptions): Promise<T>;
  /** The response, whatever its status, after at most two renewals; throws `OfflineError` when nobody answered. */
  open(path: string, options?: RequestOptions): Promise<Response>;
  /** The oracle's API, without a slash at its end. */
  apiUrl(): Promise<string>;
  /** Where its sockets are. */
  socketUrl(): Promise<string>;
}

/** One outgoing request for a JSON document, bounded in time and size. Every way to fail is one: no document. */
import { parseJson } from "../parse-json.ts";
import { readBody } from "../http/body.ts";
import { failure, success, type Result } from "../result.ts";

export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

export interface FetchLimits {
  readonly milliseconds: number;
  /** Bytes of the response's body. */
  readonly bytes: number;
}

/** The parsed body of a 200; redirects are not followed, since they would leave the host that was configured. */
export async function fetchJson(
  fetch: Fetch,
  url: string,
  init: RequestInit,
  limits: FetchLimits,
): Promise<Result<unknown, "unavailable">> {
  try {
    const signal = AbortSignal.timeout(limits.milliseconds);
    const response = await fetch(url, { ...init, redirect: "manual", signal });
    if (response.status !== 200) {
      await response.body?.cancel();
      return failure("unavailable");
    }
    const text = await readBody(response, limits.bytes);
    const parsed = text.ok ? parseJson(text.value) : text;
    return parsed.ok ? success(parsed.value) : failure("unavailable");
  } catch {
    return failure("unavailable"); // refused, reset or out of time
  }
}

/**
 * How the GraphQL surface refuses (contract/registry.md sections 7 and 10): a GraphQL error with a code of the
 * registry's table, thrown because that is how a resolver answers. Everything else that is thrown gets masked.
 */
import { GraphQLError } from "graphql";
import type { RegistryReason } from "../failures.ts";

/** What a refusal makes of the HTTP answer, in the error's `extensions.http`; it is not part of the answer itself. */
export interface RefusalHttp {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Refuses the whole request with HTTP 400, whatever the caller accepts. */
export function refusal(code: RegistryReason, message: string): GraphQLError {
  return new GraphQLError(message, { extensions: { code, http: { status: 400 } satisfies RefusalHttp } });
}

/** Refuses the whole request with HTTP 429; `seconds` until it can be sent again. */
export function rateLimitRefusal(what: string, seconds: number): GraphQLError {
  return new GraphQLError(`${what}; wait ${seconds} s`, {
    extensions: { code: "rate_limited", http: { status: 429, headers: { "Retry-After": String(seconds) } } },
  });
}

/**
 * How a server that requires the user's sign-in gets its headers; `oauth.ts` implements it. The turn calls it before it contacts
 * such a server, and again when the server refuses the headers.
 */
import type { RuntimeContext } from "../../framework/context.ts";
import type { McpServer } from "./settings.ts";

export type Authorization =
  /** Headers for every request to the server, for this user only. */
  | { readonly kind: "headers"; readonly headers: Readonly<Record<string, string>> }
  /** The user must open this address first. */
  | { readonly kind: "sign-in"; readonly url: string }
  /** Temporarily unknown, for example because the authorization server does not answer. One word for logs. */
  | { readonly kind: "unavailable"; readonly reason: string };

/** A server's refusal. */
export interface ServerRefusal {
  readonly status: 401 | 403;
  /** As the server wrote it; it may name scopes and metadata. */
  readonly wwwAuthenticate: string | undefined;
  /** The refused headers, as `headersFor` returned them: another turn may have a newer token by now. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** A failure is a value; a thrown error fails only this server in this turn. */
export interface ServerAuthorization {
  /** Called often, so it must not use the network while a token is valid. */
  headersFor(server: McpServer, ctx: RuntimeContext): Promise<Authorization>;
  /** Called once per request: if it returns `headers`, one retry is worthwhile. */
  refused(server: McpServer, refusal: ServerRefusal, ctx: RuntimeContext): Promise<Authorization>;
}

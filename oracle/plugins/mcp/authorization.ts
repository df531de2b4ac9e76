/**
 * How a server that needs a user's sign-in gets its headers. `oauth.ts` implements it; the turn asks it before it reaches such
 * a server, and once more when the server refused what it was given.
 */
import type { RuntimeContext } from "../../framework/context.ts";
import type { McpServer } from "./settings.ts";

export type Authorization =
  /** Headers for every request to the server, of this user only. */
  | { readonly kind: "headers"; readonly headers: Readonly<Record<string, string>> }
  /** The user has to open this address first. */
  | { readonly kind: "sign-in"; readonly url: string }
  /** It cannot be said at the moment, such as when the authorization server does not answer. One word for logs. */
  | { readonly kind: "unavailable"; readonly reason: string };

/** What a server refused with. */
export interface ServerRefusal {
  readonly status: 401 | 403;
  /** As the server wrote it; it may name scopes and metadata. */
  readonly wwwAuthenticate: string | undefined;
  /** What was sent and refused, as `headersFor` gave it: another turn may have a newer token by now. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** A failure of it is a value; what it throws fails the one server in the one turn. */
export interface ServerAuthorization {
  /** Called often: it must not ask the network while a token is valid. */
  headersFor(server: McpServer, ctx: RuntimeContext): Promise<Authorization>;
  /** Once a request: `headers` here means that it is worth one more attempt. */
  refused(server: McpServer, refusal: ServerRefusal, ctx: RuntimeContext): Promise<Authorization>;
}

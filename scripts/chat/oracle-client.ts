/**
 * The oracle over HTTP, on the SDK's core, which signs every request and renews refused tokens. Each response is validated with its
 * schema, and a failure becomes a sentence and an exit code.
 */
import * as z from "zod";
import { readOracleDid } from "../../sdk/src/core/discovery.ts";
import { OfflineError, RequestError } from "../../sdk/src/core/errors.ts";
import { createHttp, type OracleHttp } from "../../sdk/src/core/http.ts";
import { DELEGATION_LIFETIME, INVOCATION_LIFETIME } from "../../sdk/src/core/signer.ts";
import { createTokens, SigningError, type CreateToken, type Tokens } from "../../sdk/src/core/tokens.ts";
import { unreachable } from "../server-address.ts";
import { ChatFailure, exitCodes } from "./command-line.ts";
import type { Identity } from "./identity.ts";
import { mintDelegation, mintInvocation } from "./tokens.ts";

export interface ChatClient {
  readonly http: OracleHttp;
  /** One request to a JSON route; validates the response with `schema`. */
  call<Schema extends z.ZodType>(
    method: "GET" | "POST",
    path: string,
    schema: Schema,
    body?: object,
  ): Promise<z.output<Schema>>;
}

export interface ClientSettings {
  readonly url: string;
  readonly identity: Identity;
  readonly fetch: typeof fetch;
  /** Milliseconds since 1970. */
  now(): number;
  /** Ctrl-C. */
  readonly interrupted: AbortSignal;
}

export function createOracleClient({ url, identity, fetch, now, interrupted }: ClientSettings): ChatClient {
  const fetchUntilInterrupted: typeof fetch = (input, init) => {
    const signals = [interrupted, init?.signal ?? interrupted];
    return fetch(input, { ...init, signal: AbortSignal.any(signals) });
  };
  const tokens = userTokens(identity, () => readOracleDid(url, fetchUntilInterrupted), now);
  const http = createHttp({ endpoints: { apiUrl: url }, tokens, fetch: fetchUntilInterrupted });
  return {
    http,
    async call(method, path, schema, body) {
      let reply: unknown;
      try {
        reply = await http.json(path, { method, body });
      } catch (error) {
        throw failureOf(error, url);
      }
      const parsed = schema.safeParse(reply);
      if (parsed.success) return parsed.data;
      const [route = path] = path.split("?");
      const mismatch = z.prettifyError(parsed.error);
      throw new ChatFailure(exitCodes.runFailed, `The response of ${route} does not match its schema: ${mismatch}`);
    },
  };
}

/** Tokens for the DID that the oracle publishes about itself. The second stage of a renewal reads that DID again. */
function userTokens(identity: Identity, readDid: () => Promise<string>, now: () => number): Tokens {
  let oracleDid: Promise<string> | undefined;
  const creator =
    (mint: typeof mintInvocation, lifetime: number): CreateToken =>
    async () => {
      oracleDid ??= readDid();
      const seconds = Math.floor(now() / 1000);
      const serialized = await mint(identity, await oracleDid, seconds, lifetime);
      return { serialized, expiresAt: (seconds + lifetime) * 1000 };
    };
  const creators = {
    createInvocation: creator(mintInvocation, INVOCATION_LIFETIME),
    createDelegation: creator(mintDelegation, DELEGATION_LIFETIME),
  };
  const tokens = createTokens({
    userDid: identity.did,
    oracleDid: "of the server",
    creators: () => creators,
    store: null,
    now,
  });
  return {
    ...tokens,
    renew(stage, refused) {
      if (stage === 2) oracleDid = undefined;
      return tokens.renew(stage, refused);
    },
  };
}

/** A request's failure, as a sentence and an exit code; any other error is a bug and returned unchanged. */
export function failureOf(thrown: unknown, url: string): unknown {
  const error = thrown instanceof SigningError ? thrown.cause : thrown;
  if (error instanceof RequestError) {
    const { status, message, reason, requestId } = error;
    const sentence = reason === undefined ? message : `${message}: ${reason}`;
    const text = requestId === undefined ? sentence : `${sentence} (request ${requestId})`;
    return new ChatFailure(status === 401 ? exitCodes.unauthorised : exitCodes.runFailed, text, status);
  }
  if (!(error instanceof OfflineError)) return thrown;
  if (error.cause instanceof RequestError) return failureOf(error.cause, url);
  return new ChatFailure(exitCodes.unreachable, unreachable(url, error.cause));
}

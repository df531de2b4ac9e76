/**
 * Gets the LiveKit token of a call: from the service that the application names, or else from the oracle, or else from
 * the network's service.
 */
import { RequestError } from "../core/errors.ts";
import { requestJson, textOf } from "../matrix/json-request.ts";
import type { IOpenIDToken } from "../matrix/matrix-rooms.ts";

export interface CallToken {
  /** `wss://…`. */
  readonly url: string;
  readonly jwt: string;
}

export interface CallTokenSource {
  /** If it is set, no other service is asked. */
  readonly jwtServiceUrl: string | undefined;
  /** The oracle's API. */
  readonly apiUrl: string | undefined;
  /**
   * The network's service; undefined if the application has named no network, so that no unknown service learns who the
   * user is.
   */
  readonly defaultJwtServiceUrl: string | undefined;
  readonly fetch?: typeof fetch | undefined;
}

/** The device name that existing clients use. The identity in the room is `<user>:PORTAL`. */
const DEVICE_ID = "PORTAL";

/** Statuses of an oracle without such a route, before or after its authentication. */
const NO_ROUTE: readonly number[] = [401, 403, 404, 405];

export async function requestCallToken(
  source: CallTokenSource,
  callId: string,
  openIdToken: IOpenIDToken,
): Promise<CallToken> {
  const { access_token, token_type, matrix_server_name, expires_in } = openIdToken;
  const body = {
    room: callId,
    openid_token: { access_token, token_type, matrix_server_name, expires_in },
    device_id: DEVICE_ID,
  };
  const ask = async (url: string, service: string): Promise<CallToken> => {
    const answer = await requestJson(url, { method: "POST", body, service, fetch: source.fetch });
    return { url: textOf(answer, "url", service), jwt: textOf(answer, "jwt", service) };
  };
  const service = "The service for call tokens";
  if (source.jwtServiceUrl !== undefined) return ask(source.jwtServiceUrl, service);
  try {
    if (source.apiUrl !== undefined) return await ask(`${source.apiUrl}/sfu/get`, "The oracle");
  } catch (error) {
    // An error with a Matrix code is a real refusal: this user gets no token.
    const unknown = error instanceof RequestError && NO_ROUTE.includes(error.status) && error.code === undefined;
    if (!unknown || source.defaultJwtServiceUrl === undefined) throw error;
  }
  if (source.defaultJwtServiceUrl === undefined)
    throw new Error("No service signs tokens for calls: set `jwtServiceUrl` or `name` in the provider's `network`.");
  return ask(source.defaultJwtServiceUrl, service);
}

/**
 * `POST /sfu/get`: issues a LiveKit access token to a user who proves their identity with a Matrix OpenID token. Request and
 * response follow the authorisation service that Matrix clients know.
 */
import { SignJWT } from "jose";
import * as z from "zod";
import { refuse } from "../../framework/admission.ts";
import { guardedFetch, readLimited } from "../../framework/guarded-fetch.ts";
import { route, type PluginRoute } from "../../framework/plugin-routes.ts";
import { parseJson } from "../../../platform/json.ts";
import type { CallSettings, LiveKitSettings } from "./settings.ts";

/** How long a token permits joining, seconds: long enough for a slow page. Its expiry does not disconnect anyone. */
export const TOKEN_SECONDS = 600;
/** Limit per network, which may contain several people. Each request calls a homeserver. */
export const TOKENS_PER_MINUTE = 60;
const BODY_BYTES = 16_384;
/** Time limit of the homeserver, milliseconds, and the maximum bytes of its answer. */
const USERINFO_TIME_MS = 5_000;
const USERINFO_BYTES = 16_384;

const tokenRequest = z.object({
  room: z.string().min(1).max(255),
  openid_token: z.object({
    access_token: z.string().min(1).max(4_096),
    matrix_server_name: z.string().min(1).max(255),
  }),
  device_id: z.string().max(255).default(""),
});
const userInfo = z.object({
  sub: z
    .string()
    .max(255)
    .regex(/^@[^:\s]+:\S+$/),
});

export interface SfuParts {
  readonly settings: CallSettings;
  readonly fetch: (address: URL, init: RequestInit) => Promise<Response>;
  /** Milliseconds since 1970. */
  readonly clock: () => number;
}

export function sfuRoute({ settings, fetch, clock }: SfuParts): PluginRoute {
  return route({
    method: "POST",
    path: "/sfu/get",
    public: true,
    requestsPerMinute: TOKENS_PER_MINUTE,
    id: "getSfuToken",
    summary: "Get a token for the room of a call",
    description:
      "`{room, openid_token, device_id}` with a Matrix OpenID token, which proves the caller's identity. 404 unless the oracle has a LiveKit server.",
    tag: "Calls",
    responses: {
      200: {
        description: "Where to connect, and the LiveKit access token",
        schema: z.object({ url: z.string(), jwt: z.string() }),
      },
      400: { description: "`M_BAD_JSON`: a member is missing" },
      401: {
        description: "`M_UNAUTHORIZED`: the homeserver does not confirm the token, or is not one of the oracle's",
      },
      404: { description: "This oracle has no LiveKit server" },
      429: { description: "Too many requests from this network in a minute" },
    },
    async handler(request, { requestId, logger }) {
      const { liveKit } = settings;
      if (liveKit === undefined) return refuse("not_found", "Cannot POST /sfu/get");
      const asked = await requestIn(request);
      if (asked === undefined) {
        const message =
          "The request body is missing room, openid_token.access_token or openid_token.matrix_server_name";
        return matrixRefusal({ status: 400, errcode: "M_BAD_JSON", message, requestId });
      }
      const { room, device_id, openid_token } = asked;
      const confirmed = await userOf(openid_token, liveKit, fetch);
      if ("refused" in confirmed) {
        logger.info("call-token-refused", { reason: confirmed.refused });
        const message = "The request could not be authorised.";
        return matrixRefusal({ status: 401, errcode: "M_UNAUTHORIZED", message, requestId });
      }
      const jwt = await accessToken(liveKit, { room, identity: `${confirmed.user}:${device_id}` }, clock());
      return Response.json({ url: liveKit.url, jwt }, { headers: { "Cache-Control": "no-store" } });
    },
  });
}

/** The error format of Matrix clients: `error` is the sentence. */
function matrixRefusal(of: {
  readonly status: number;
  readonly errcode: string;
  readonly message: string;
  readonly requestId: string;
}): Response {
  const { status, errcode, message, requestId } = of;
  return Response.json({ errcode, error: message, statusCode: status, message, requestId }, { status });
}

async function requestIn(request: Request): Promise<z.output<typeof tokenRequest> | undefined> {
  const body = await readLimited(request, BODY_BYTES);
  const parsed = body.ok ? parseJson(new TextDecoder().decode(body.value)) : body;
  return tokenRequest.safeParse(parsed.ok ? parsed.value : undefined).data;
}

/** The user whom the homeserver confirms. Only listed homeservers are asked, and each is trusted for its own users only. */
async function userOf(
  token: { readonly access_token: string; readonly matrix_server_name: string },
  { homeservers }: LiveKitSettings,
  fetch: SfuParts["fetch"],
): Promise<{ readonly user: string } | { readonly refused: string }> {
  const base = homeservers.get(token.matrix_server_name);
  if (base === undefined) return { refused: "homeserver not allowed" };
  // The protocol puts the token into the query, so this address must not be logged.
  const address = new URL(`${base}/_matrix/federation/v1/openid/userinfo`);
  address.searchParams.set("access_token", token.access_token);
  const signal = AbortSignal.timeout(USERINFO_TIME_MS);
  const sent = await guardedFetch(address, { allowedHosts: [address.host], redirects: 0, signal, fetch });
  if (!sent.ok) return { refused: sent.error.reason };
  const body = await readLimited(sent.value.response, USERINFO_BYTES);
  if (!sent.value.response.ok || !body.ok) return { refused: `status ${sent.value.response.status}` };
  const parsed = parseJson(new TextDecoder().decode(body.value));
  const info = userInfo.safeParse(parsed.ok ? parsed.value : undefined);
  if (!info.success) return { refused: "no user" };
  const { sub } = info.data;
  const isTheirs = sub.slice(sub.indexOf(":") + 1) === token.matrix_server_name;
  return isTheirs ? { user: sub } : { refused: "user of another homeserver" };
}

/** LiveKit creates the room when the first participant joins. */
function accessToken(
  { apiKey, apiSecret }: LiveKitSettings,
  { room, identity }: { readonly room: string; readonly identity: string },
  nowMs: number,
): Promise<string> {
  const now = Math.floor(nowMs / 1_000);
  return new SignJWT({ video: { roomJoin: true, room, canPublish: true, canSubscribe: true } })
    .setProtectedHeader({ alg: "HS256", typ: "JWT" })
    .setIssuer(apiKey)
    .setSubject(identity)
    .setNotBefore(now)
    .setExpirationTime(now + TOKEN_SECONDS)
    .sign(new TextEncoder().encode(apiSecret));
}

/** The routes of calls: a client sends the details and the state of its call, and the agent that joins the call gets its key. */
import * as z from "zod";
import { refuse, type Refusal } from "../../framework/admission.ts";
import { readLimited } from "../../framework/guarded-fetch.ts";
import { route, type PluginRoute, type RouteContext } from "../../framework/plugin-routes.ts";
import { sameSecret } from "../../framework/same-secret.ts";
import { parseJson } from "../../../platform/json.ts";
import { isSenderOf, readCallEvent, type Send } from "./call-event.ts";
import {
  callChange,
  callDetails,
  changed,
  parseCallId,
  shown,
  shownCall,
  synced,
  type CallDetails,
  type CallId,
} from "./call-record.ts";
import { createCallStore } from "./call-store.ts";
import type { CallSettings } from "./settings.ts";

/** Maximum bytes of a body: the oracle's limit for bodies that are not messages. */
const BODY_BYTES = 16_384;

const EXAMPLE = "$Rm9vYmFy@!room:example.org";
const callParams = z.object({
  callId: z
    .string()
    .refine((text) => parseCallId(text) !== undefined)
    .meta({ description: "`<eventId>@<roomId>`, raw or percent-encoded.", example: EXAMPLE }),
});
const sessionParams = z.object({
  sessionId: z.uuid().meta({ description: "The session that the calls belong to." }),
});
const undescribed = refuse(
  "invalid_request",
  "This oracle cannot read the event of the call: send its content as the body of the request",
);
const unreadEvent = refuse("unavailable", "The event of this call cannot be read at the moment", { retryAfter: 5 });
const unknownCall = refuse("not_found", "Call not found");
const notFound = { description: "No such call of this user" };

export interface CallParts {
  readonly settings: CallSettings;
  readonly send: Send;
  /** ISO 8601, in UTC. */
  readonly now: () => string;
}

interface Sync {
  readonly sent: CallDetails | undefined;
  /** Whether the caller has synced the call before. */
  readonly isKnown: boolean;
  readonly did: string;
}

/** `session` is not mistaken for a call's id, because it has no room in it. */
export function callRoutes({ settings, send, now }: CallParts): readonly PluginRoute[] {
  return [
    route({
      method: "POST",
      path: "/calls/:callId/sync",
      id: "syncCall",
      summary: "Record a call",
      description:
        "Creates the call, or updates it with the body. Without a body, the oracle reads the call's event in the Matrix room, if it has an account there.",
      tag: "Calls",
      params: callParams,
      responses: {
        200: {
          description: "Stored",
          schema: z.object({ ok: z.literal(true), callId: z.string() }),
          example: { ok: true, callId: EXAMPLE },
        },
        400: { description: "The body does not describe a call" },
        404: notFound,
        503: { description: "The event of an unknown call cannot be read at the moment" },
      },
      async handler(request, ctx) {
        const { params, user, identity } = ctx;
        const call = parseCallId(params.callId);
        if (call === undefined || user === undefined) return unknownCall;
        const sent = await sentIn(request);
        if (typeof sent === "string") return refuse("invalid_request", sent);
        const store = createCallStore(ctx.storageOf);
        const stored = await store.read(call.text, user.did);
        const details = await detailsFor(call, { sent, isKnown: stored !== undefined, did: user.did }, ctx);
        if ("error" in details) return details;
        const own = { callId: call.text, userDid: user.did, oracleDid: identity.did };
        const written = await store.write(synced(stored, details, own), now());
        return written === undefined ? unknownCall : Response.json({ ok: true, callId: call.text });
      },
    }),
    route({
      method: "PATCH",
      path: "/calls/:callId/update",
      id: "updateCall",
      summary: "Start or end a call",
      description: "An ended call stays ended.",
      tag: "Calls",
      params: callParams,
      body: callChange,
      responses: {
        200: { description: "The call", schema: z.object({ ok: z.literal(true), call: shownCall }) },
        400: { description: "The call has ended" },
        404: notFound,
      },
      async handler(_request, { params, body, user, storageOf }) {
        const store = createCallStore(storageOf);
        const stored = user === undefined ? undefined : await store.read(params.callId, user.did);
        if (stored === undefined) return unknownCall;
        const next = changed(stored, body, now());
        const written = next === undefined ? undefined : await store.write(next, now());
        if (written === undefined || (body.callStatus === "active" && written.callStatus === "ended"))
          return refuse("invalid_request", "The call has ended");
        return Response.json({ ok: true, call: shown(written) });
      },
    }),
    route({
      method: "GET",
      path: "/calls/session/:sessionId",
      id: "listSessionCalls",
      summary: "List the calls of a session",
      description: "The newest hundred, oldest first.",
      tag: "Calls",
      params: sessionParams,
      responses: { 200: { description: "The caller's calls", schema: z.object({ calls: z.array(shownCall) }) } },
      async handler(_request, { params, user, storageOf }) {
        const calls = user === undefined ? [] : await createCallStore(storageOf).ofSession(params.sessionId, user.did);
        return Response.json({ calls: calls.map(shown) });
      },
    }),
    route({
      method: "GET",
      path: "/calls/:callId/key",
      public: true,
      id: "getCallKey",
      summary: "Get the key of a call",
      description: "For the agent that joins calls: the header `x-api-key` contains `LIVE_AGENT_AUTH_API_KEY`.",
      tag: "Calls",
      params: callParams,
      responses: {
        200: {
          description: "The key as the client sent it",
          schema: z.object({ encryptionKey: z.string(), oracleDid: z.string(), userDid: z.string() }),
        },
        401: { description: "`x-api-key` is missing or wrong" },
        404: { description: "No such call, or one without a key" },
      },
      async handler(request, { params, storageOf }) {
        if (settings.agentKey === undefined) return unknownCall;
        if (!(await sameSecret(request.headers.get("x-api-key"), settings.agentKey)))
          return refuse("unauthenticated", "The x-api-key is missing or wrong", { retryable: false });
        const store = createCallStore(storageOf);
        const userDid = await store.ownerOf(params.callId);
        const call = userDid === undefined ? undefined : await store.read(params.callId, userDid);
        if (call?.encryptionKey === undefined) return unknownCall;
        const { encryptionKey, oracleDid } = call;
        return Response.json(
          { encryptionKey, oracleDid, userDid: call.userDid },
          { headers: { "Cache-Control": "no-store" } },
        );
      },
    }),
  ];

  /** The details in a sync. A new call belongs to the sender of its event. */
  async function detailsFor(call: CallId, sync: Sync, { logger }: RouteContext): Promise<CallDetails | Refusal> {
    const { sent, isKnown, did } = sync;
    const { matrix } = settings;
    if (sent !== undefined && (isKnown || matrix === undefined)) return sent;
    if (matrix === undefined) return isKnown ? {} : undescribed;
    const read = await readCallEvent(call, matrix, send);
    if (!read.ok) {
      logger.warn("call-event-unread", { reason: read.error });
      if (isKnown) return {};
      return read.error === "unknown" ? unknownCall : unreadEvent;
    }
    const { sender, details } = read.value;
    if (isKnown || isSenderOf(did, sender, matrix.servers)) return sent ?? details;
    logger.warn("call-of-another-sender", {});
    return unknownCall;
  }
}

/** The details in the body; undefined without a body, which some clients still declare as JSON. */
async function sentIn(request: Request): Promise<CallDetails | string | undefined> {
  const body = await readLimited(request, BODY_BYTES);
  if (!body.ok) return "Request body too large";
  const text = new TextDecoder().decode(body.value).trim();
  if (text === "") return undefined;
  const parsed = parseJson(text);
  if (!parsed.ok) return "Request body is not valid JSON";
  const details = callDetails.safeParse(parsed.value);
  if (details.success) return details.data;
  return details.error.issues.map(({ path, message }) => `${path.join(".") || "the body"}: ${message}`).join("; ");
}

/**
 * `POST /slack/events`: checks the signature, starts the turn and acknowledges. A turn that is stored within two seconds is stored
 * before the response; a slower one continues after the response, since Slack waits for three seconds.
 */
import { refuse, type Refusal } from "../../framework/admission.ts";
import { readLimited } from "../../framework/guarded-fetch.ts";
import { route, type PluginRoute, type RouteContext } from "../../framework/plugin-routes.ts";
import type { StartedTurn, TurnStart } from "../../framework/turns.ts";
import { parseJson } from "../../../platform/json.ts";
import { describeThrown } from "../../../platform/log.ts";
import type { Result } from "../../../platform/result.ts";
import { readEvent, type SlackMessage } from "./events.ts";
import { messageOf } from "./message-text.ts";
import { metadataOf, SLACK_CLIENT } from "./place.ts";
import { isFromSlack, signedHeaders } from "./signature.ts";
import type { ChannelThreads } from "./settings.ts";
import type { SlackApi } from "./slack-api.ts";
import { noteThread, openThread, sessionName, threadDid, userDid, type SlackThread } from "./threads.ts";

/** Maximum bytes of a body: a message of 40,000 characters twice, as text and as blocks, with every character escaped. */
export const EVENT_BYTES = 1024 * 1024;
/** Milliseconds until the response is sent, whatever the turn's start does. */
export const START_TIME_MS = 2_000;
/** How many characters of a message become its session's title. */
const TITLE_LENGTH = 60;

export interface RouteParts {
  readonly signingSecret: string;
  readonly channelThreads: ChannelThreads;
  readonly api: SlackApi;
  /** Milliseconds since 1970. */
  readonly clock: () => number;
  readonly wait: (ms: number) => Promise<void>;
}

const unsigned = refuse("unauthenticated", "The request is not signed by Slack", { retryable: false });

type EventOutcome = "done" | "later";

export function eventsRoute(parts: RouteParts): PluginRoute {
  return route({
    method: "POST",
    path: "/slack/events",
    public: true,
    id: "receiveSlackEvent",
    summary: "Receive a Slack event",
    description: "The request URL of the Slack app's event subscriptions. Signed by Slack.",
    tag: "Slack",
    responses: {
      200: { description: "Received, `{ok: true}`, or the challenge that was sent" },
      401: { description: "Not signed by Slack, or more than five minutes ago" },
      413: { description: "Larger than any event" },
      503: { description: "The turn could not be stored; Slack sends the event again" },
    },
    handler: (request, ctx) => receive(request, ctx, parts),
  });
}

async function receive(request: Request, ctx: RouteContext, parts: RouteParts): Promise<Response | Refusal> {
  const signed = signedHeaders(request.headers, parts.clock());
  if (signed === undefined) return unsigned;
  const body = await readLimited(request, EVENT_BYTES);
  if (!body.ok) return refuse("too_large", "Request body too large");
  if (!(await isFromSlack(signed, body.value, parts.signingSecret))) return unsigned;
  const parsed = parseJson(new TextDecoder().decode(body.value));
  const event = readEvent(parsed.ok ? parsed.value : undefined);
  if (event.kind === "challenge") return Response.json({ challenge: event.challenge });
  if (event.kind === "ignored") return Response.json({ ok: true });

  const starting = startTurn(event, ctx, parts).catch((thrown: unknown): EventOutcome => {
    ctx.logger.error("slack-turn-not-started", { reason: describeThrown(thrown) });
    return "later";
  });
  ctx.background(starting);
  const outcome = await Promise.race([starting, parts.wait(START_TIME_MS)]);
  return outcome === "later" ? refuse("unavailable", "The message could not be stored") : Response.json({ ok: true });
}

/** The user of the message's turn, and its payer. */
type Principal = Pick<TurnStart, "did" | "payer" | "isShared" | "foreign">;

/** Undefined for a message that is not for the oracle. */
function principalOf(message: SlackMessage, starter: string, threads: ChannelThreads): Principal | undefined {
  const speaker = userDid(message);
  if (message.isDirect) return { did: starter };
  // Others write there too, and the conversation keeps their messages.
  if (threads === "first-speaker") return { did: starter, foreign: true };
  if (threads === "mention" && !message.isAddressed && starter !== speaker) return undefined;
  return { did: threadDid(message), payer: speaker, isShared: true };
}

async function startTurn(message: SlackMessage, ctx: RouteContext, parts: RouteParts): Promise<EventOutcome> {
  const { team, channel, thread, ts, user } = message;
  const kept = openThread(message, ctx.storageOf);
  const own = userDid(message);
  const starter = message.isAddressed ? await kept.starterOrFirst(own) : await kept.starter();
  const principal = starter === undefined ? undefined : principalOf(message, starter, parts.channelThreads);
  if (principal === undefined || (await kept.wasHandled(message))) return "done";
  await noteThread(ctx.storageOf(own).kv, message, principal.did !== own);
  const started = await ctx.turns.start({
    ...principal,
    session: sessionName(message),
    title: `Slack: ${message.text.slice(0, TITLE_LENGTH)}`.trim(),
    message: messageOf({ ...message, by: starter === own ? undefined : user }),
    // The second key: one message arrives as several events.
    messageId: `slack:${team}:${channel}:${ts}`,
    client: SLACK_CLIENT,
    metadata: metadataOf({ team, channel, thread, user }),
  });
  if (!started.ok && started.error.code === "unavailable") return "later";
  if (!started.ok) await postRefusal(started.error, message, kept, parts.api, ctx);
  await kept.handled(message);
  return "done";
}

/** Posts one sentence in the thread, however often the message arrives. */
async function postRefusal(
  { code, message: sentence }: Extract<Result<StartedTurn>, { ok: false }>["error"],
  message: SlackMessage,
  kept: SlackThread,
  api: SlackApi,
  { logger }: RouteContext,
): Promise<void> {
  logger.info("slack-turn-refused", { code });
  if (!(await kept.mayPostRefusal(message))) return;
  const { channel, thread } = message;
  const posted = await api.call("chat.postMessage", { channel, thread_ts: thread, markdown_text: sentence });
  if (!posted.ok) logger.warn("slack-refusal-not-posted", { error: posted.error.error });
}

/**
 * A mock of the parts of Slack that the plugin uses: the Web API's methods with their argument checks and errors, and the sender of
 * events, which signs and retries like Slack. Messages are stored as a reader of the workspace sees them.
 */
import type { AppMentionEvent, GenericMessageEvent } from "@slack/types";
import { createHmac } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { startLocalServer } from "../server/local-server.ts";
import type { Peer } from "./peer.ts";

/** Maximum characters of `markdown_text`, in any method. */
const TEXT_LENGTH = 12_000;
/** How long Slack waits for the acknowledgement of an event, milliseconds. */
const ACKNOWLEDGED_MS = 3_000;

export interface SlackApiOptions {
  readonly token?: string;
  readonly signingSecret?: string;
  /** `false`: a workspace without streams, which does not know their methods. */
  readonly streams?: boolean;
}

export interface ShownMessage {
  readonly ts: string;
  readonly channel: string;
  readonly thread: string;
  text: string;
  state: "streaming" | "posted";
  isEdited: boolean;
}

export interface SlackCall {
  readonly method: string;
  readonly body: Readonly<Record<string, unknown>>;
  /** `ok`, or the error of the answer. */
  readonly outcome: string;
}

export interface Acknowledged {
  readonly status: number;
  readonly body: unknown;
  readonly ms: number;
}

export interface SlackPeer extends Peer {
  readonly messages: readonly ShownMessage[];
  readonly calls: readonly SlackCall[];
  /** The oracle's texts in a thread, oldest first. */
  textsIn(thread: string): readonly string[];
  /** Refuses the next calls of that method with 429 and `Retry-After`, once for each number of seconds. */
  limit(method: string, ...seconds: number[]): void;
  /** Answers the next calls of that method with these errors. */
  refuse(method: string, ...errors: string[]): void;
  /** Delivers an event once to the oracle at `origin`; `retry` counts from 1. */
  sendEvent(origin: string, body: unknown, retry?: number): Promise<Acknowledged>;
  /** Delivers it until it is acknowledged in time, at most four times, without Slack's pauses. */
  deliver(origin: string, body: unknown): Promise<readonly Acknowledged[]>;
}

type Body = Readonly<Record<string, unknown>>;
type Reply =
  | { readonly ok: true; readonly ts?: string; readonly channel?: string }
  | { readonly ok: false; readonly error: string };

export async function startSlackApi(options: SlackApiOptions = {}): Promise<SlackPeer> {
  const {
    token = "xoxb-peer-token-of-the-bot",
    signingSecret = "peer-signing-secret-of-slack",
    streams = true,
  } = options;
  const messages: ShownMessage[] = [];
  const calls: SlackCall[] = [];
  const limits = new Map<string, number[]>();
  const refusals = new Map<string, string[]>();
  let lastTs = 0;

  const methods: Readonly<Record<string, (body: Body) => Reply>> = {
    ...(streams ? { "chat.startStream": start, "chat.appendStream": append, "chat.stopStream": stop } : {}),
    "chat.postMessage": (body) => {
      const error = inThread(body) ?? textProblem(body, true);
      return error === undefined ? show(body, "posted") : refused(error);
    },
    "chat.update": (body) => {
      const found = find(body);
      if (found === undefined) return refused("message_not_found");
      if (found.state === "streaming") return refused("streaming_state_conflict");
      const error = textProblem(body, true);
      if (error !== undefined) return refused(error);
      found.text = textOf(body);
      found.isEdited = true;
      return done(found);
    },
    "assistant.threads.setStatus": (body) => {
      const { channel_id, thread_ts, status } = body;
      const isComplete = [channel_id, thread_ts, status].every((value) => typeof value === "string");
      return isComplete ? { ok: true } : refused("invalid_arguments");
    },
  };

  function start(body: Body): Reply {
    const error = inThread(body) ?? textProblem(body, false);
    if (error !== undefined) return refused(error);
    if (!String(body["channel"]).startsWith("D")) {
      if (body["recipient_user_id"] === undefined) return refused("missing_recipient_user_id");
      if (body["recipient_team_id"] === undefined) return refused("missing_recipient_team_id");
    }
    return show(body, "streaming");
  }

  function append(body: Body): Reply {
    const found = find(body);
    if (found === undefined) return refused("message_not_found");
    if (found.state !== "streaming") return refused("message_not_in_streaming_state");
    const error = textProblem(body, true);
    if (error !== undefined) return refused(error);
    found.text += textOf(body);
    return done(found);
  }

  function stop(body: Body): Reply {
    const found = find(body);
    if (found === undefined) return refused("message_not_found");
    if (found.state !== "streaming") return refused("message_not_in_streaming_state");
    const error = textProblem(body, false);
    if (error !== undefined) return refused(error);
    found.text += textOf(body);
    found.state = "posted";
    return done(found);
  }

  function show(body: Body, state: ShownMessage["state"]): Reply {
    lastTs += 1;
    const ts = `1800000000.${String(lastTs).padStart(6, "0")}`;
    const shown = { ts, channel: String(body["channel"]), thread: String(body["thread_ts"]), text: textOf(body) };
    messages.push({ ...shown, state, isEdited: false });
    return { ok: true, ts, channel: shown.channel };
  }

  function find({ channel, ts }: Body): ShownMessage | undefined {
    return messages.find((message) => message.ts === ts && message.channel === channel);
  }

  function answer(request: IncomingMessage, method: string, body: string): Reply {
    const given = request.headers.authorization;
    if (given === undefined) return refused("not_authed");
    if (given !== `Bearer ${token}`) return refused("invalid_auth");
    const known = methods[method];
    if (known === undefined) return refused("unknown_method");
    if (!String(request.headers["content-type"]).startsWith("application/json")) return refused("invalid_arguments");
    const next = refusals.get(method)?.shift();
    return next === undefined ? known(JSON.parse(body) as Body) : refused(next);
  }

  /** The messages of a thread. The oracle never requests them, so this is not recorded as a call. */
  function replies(query: URLSearchParams): unknown {
    const isThere = ({ channel, thread }: ShownMessage) =>
      channel === query.get("channel") && thread === query.get("ts");
    return {
      ok: true,
      messages: messages
        .filter(isThere)
        .map(({ ts, thread, text }) => ({ type: "message", ts, thread_ts: thread, text })),
    };
  }

  const server = await startLocalServer((request, body, response) => {
    const { pathname, searchParams } = new URL(String(request.url), "http://peer");
    const method = pathname.replace(/^\/api\//, "");
    if (method === "conversations.replies") {
      response
        .writeHead(200, { "Content-Type": "application/json; charset=utf-8" })
        .end(JSON.stringify(replies(searchParams)));
      return;
    }
    const seconds = limits.get(method)?.shift();
    const reply = seconds === undefined ? answer(request, method, body) : refused("ratelimited");
    calls.push({ method, body: bodyOf(body), outcome: reply.ok ? "ok" : reply.error });
    response
      .writeHead(seconds === undefined ? 200 : 429, {
        "Content-Type": "application/json; charset=utf-8",
        ...(seconds === undefined ? {} : { "Retry-After": String(seconds) }),
      })
      .end(JSON.stringify(reply));
  });

  async function sendEvent(origin: string, body: unknown, retry = 0): Promise<Acknowledged> {
    const text = JSON.stringify(body);
    const timestamp = String(Math.floor(Date.now() / 1_000));
    const started = performance.now();
    const response = await fetch(`${origin}/slack/events`, {
      method: "POST",
      headers: {
        "Content-Type": "application/json",
        "X-Slack-Request-Timestamp": timestamp,
        "X-Slack-Signature": `v0=${createHmac("sha256", signingSecret).update(`v0:${timestamp}:${text}`).digest("hex")}`,
        ...(retry === 0 ? {} : { "X-Slack-Retry-Num": String(retry), "X-Slack-Retry-Reason": "http_timeout" }),
      },
      body: text,
    });
    const parsed: unknown = await response.json();
    return { status: response.status, body: parsed, ms: performance.now() - started };
  }

  return {
    name: "slack-api",
    url: `${server.origin}/api`,
    variables: { SLACK_BOT_TOKEN: token, SLACK_SIGNING_SECRET: signingSecret, SLACK_API_URL: `${server.origin}/api` },
    messages,
    calls,
    textsIn: (thread) => messages.filter((message) => message.thread === thread).map(({ text }) => text),
    limit: (method, ...seconds) => void limits.set(method, seconds),
    refuse: (method, ...errors) => void refusals.set(method, errors),
    sendEvent,
    async deliver(origin, body) {
      const deliveries: Acknowledged[] = [];
      for (let retry = 0; retry < 4; retry += 1) {
        const delivery = await sendEvent(origin, body, retry);
        deliveries.push(delivery);
        if (delivery.status === 200 && delivery.ms < ACKNOWLEDGED_MS) break;
      }
      return deliveries;
    },
    stop: () => server.close(),
  };
}

export interface EventOptions {
  readonly type?: "app_mention" | "message";
  readonly eventId?: string;
  readonly text?: string;
  readonly ts?: string;
  readonly thread?: string;
  readonly channel?: string;
  readonly user?: string;
  /** Members of the inner event that override the defaults. */
  readonly event?: Readonly<Record<string, unknown>>;
}

export const BOT_USER = "U0BOT";
let lastEvent = 0;

/** The body of an event as Slack sends it: by default, a mention of the bot in a channel. */
export function slackEvent(options: EventOptions = {}) {
  lastEvent += 1;
  const { type = "app_mention", text = "hello", channel = "C0GENERAL", user = "U0ADA", thread } = options;
  const ts = options.ts ?? `17${String(lastEvent).padStart(8, "0")}.000100`;
  const said = {
    user,
    text: channel.startsWith("D") ? text : `<@${BOT_USER}> ${text}`,
    ts,
    channel,
    event_ts: ts,
    ...(thread === undefined ? {} : { thread_ts: thread }),
  };
  const event: AppMentionEvent | GenericMessageEvent =
    type === "app_mention"
      ? { type, ...said }
      : { type, subtype: undefined, channel_type: channel.startsWith("D") ? "im" : "channel", ...said };
  return {
    token: "unused",
    team_id: "T0PEER",
    api_app_id: "A0PEER",
    event: { ...event, ...options.event },
    type: "event_callback",
    event_id: options.eventId ?? `Ev0PEER${lastEvent}`,
    event_time: Math.floor(Number(ts)),
    authorizations: [{ enterprise_id: null, team_id: "T0PEER", user_id: BOT_USER, is_bot: true }],
  };
}

function inThread({ channel, thread_ts }: Body): string | undefined {
  if (typeof channel !== "string" || !/^[CDG][A-Z0-9]+$/.test(channel)) return "channel_not_found";
  return typeof thread_ts === "string" && /^\d+\.\d+$/.test(thread_ts) ? undefined : "invalid_thread_ts";
}

function textProblem(body: Body, isRequired: boolean): string | undefined {
  const text = body["markdown_text"];
  if (text === undefined || text === "") return isRequired ? "no_text" : undefined;
  if (typeof text !== "string") return "invalid_arguments";
  return text.length > TEXT_LENGTH ? "msg_too_long" : undefined;
}

function textOf(body: Body): string {
  return typeof body["markdown_text"] === "string" ? body["markdown_text"] : "";
}

function done({ ts, channel }: ShownMessage): Reply {
  return { ok: true, ts, channel };
}

function refused(error: string): Reply {
  return { ok: false, error };
}

function bodyOf(text: string): Body {
  return JSON.parse(text === "" ? "{}" : text) as Body;
}

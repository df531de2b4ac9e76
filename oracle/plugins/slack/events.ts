/** The bodies that Slack sends to the Events API, parsed once. Everything that is not a message for the oracle is `ignored`. */
import * as z from "zod";
import { plainText } from "./message-text.ts";

/** A message that may be for the oracle. */
export interface SlackMessage {
  readonly kind: "message";
  readonly app: string;
  readonly team: string;
  readonly eventId: string;
  readonly channel: string;
  /** The timestamp of the thread's first message; this message's own if it starts a thread. */
  readonly thread: string;
  readonly ts: string;
  readonly user: string;
  readonly text: string;
  readonly files: number;
  /**
   * Whether the message itself addresses the oracle: a mention, or a direct message. Other messages do so only in a thread of the
   * oracle.
   */
  readonly isAddressed: boolean;
  /** Whether it is in a conversation of one person with the oracle. */
  readonly isDirect: boolean;
}

export type SlackEvent =
  | SlackMessage
  | { readonly kind: "challenge"; readonly challenge: string }
  | { readonly kind: "ignored" };

const ignored: SlackEvent = { kind: "ignored" };

/** Subtypes of a person's own messages: plain, with a file, or a reply that is also sent to the channel. */
const OWN_WORDS: readonly (string | undefined)[] = [undefined, "file_share", "thread_broadcast"];

const id = z.string().regex(/^[A-Z0-9]{2,32}$/);
const timestamp = z.string().regex(/^\d{1,16}\.\d{1,16}$/);

const challengeBody = z.object({ type: z.literal("url_verification"), challenge: z.string().max(1_000) });

const callbackBody = z.object({
  type: z.literal("event_callback"),
  team_id: id,
  api_app_id: id,
  event_id: z.string().regex(/^[A-Za-z0-9]{2,64}$/),
  authorizations: z.array(z.object({ user_id: z.string().nullish(), is_bot: z.boolean().optional() })).optional(),
  event: z.object({
    type: z.enum(["app_mention", "message"]),
    subtype: z.string().optional(),
    channel: id,
    channel_type: z.string().optional(),
    user: id,
    text: z.string().default(""),
    ts: timestamp,
    thread_ts: timestamp.optional(),
    bot_id: z.string().nullish(),
    edited: z.unknown().optional(),
    files: z.array(z.unknown()).optional(),
  }),
});

export function readEvent(body: unknown): SlackEvent {
  const challenge = challengeBody.safeParse(body);
  if (challenge.success) return { kind: "challenge", challenge: challenge.data.challenge };
  const parsed = callbackBody.safeParse(body);
  if (!parsed.success) return ignored;
  const { team_id, api_app_id, event_id, authorizations, event } = parsed.data;
  const botUser = authorizations?.find(({ is_bot }) => is_bot === true)?.user_id ?? undefined;
  const isByBot = typeof event.bot_id === "string" || event.user === botUser;
  if (isByBot || event.edited !== undefined || !OWN_WORDS.includes(event.subtype)) return ignored;
  const text = plainText(event.text, botUser);
  const files = event.files?.length ?? 0;
  if (text === "" && files === 0) return ignored;
  // A mention event does not state the type of its channel; the ids of direct messages begin with D.
  const isDirect = event.channel_type === "im" || event.channel.startsWith("D");
  const isMention = event.type === "app_mention" || (botUser !== undefined && event.text.includes(`<@${botUser}>`));
  return {
    kind: "message",
    app: api_app_id,
    team: team_id,
    eventId: event_id,
    channel: event.channel,
    thread: event.thread_ts ?? event.ts,
    ts: event.ts,
    user: event.user,
    text,
    files,
    isAddressed: isMention || isDirect,
    isDirect,
  };
}

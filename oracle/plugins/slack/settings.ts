/** The operator's settings: the app's token and signing secret, and the address of Slack's API. */
import * as z from "zod";

export interface SlackSettings {
  readonly SLACK_BOT_TOKEN: string;
  readonly SLACK_SIGNING_SECRET: string;
  /** The base of its methods, without a trailing slash. */
  readonly SLACK_API_URL: string;
  /** Who owns a thread in a channel, and which of its messages are answered. */
  readonly SLACK_CHANNEL_THREADS: ChannelThreads;
}

/**
 * `mention`: the thread owns itself; people who join a thread that somebody else started must mention the oracle. `every-message`:
 * the thread owns itself, and every message is answered. `first-speaker`: it belongs to the person who started it, with their
 * memory, preferences and credits.
 */
const channelThreads = z.enum(["mention", "every-message", "first-speaker"]);
export type ChannelThreads = z.output<typeof channelThreads>;

const DEFAULT_API_URL = "https://slack.com/api";

export const slackSettings: z.ZodType<SlackSettings> = z.object({
  SLACK_BOT_TOKEN: z.string().min(1),
  SLACK_SIGNING_SECRET: z.string().min(1),
  SLACK_API_URL: z
    .union([z.literal("").transform(() => DEFAULT_API_URL), z.url({ protocol: /^https?$/ })])
    .default(DEFAULT_API_URL)
    .transform((url) => url.replace(/\/+$/, "")),
  SLACK_CHANNEL_THREADS: z
    .union([z.literal("").transform(() => "mention" as const), channelThreads])
    .default("mention"),
});

/** What the operator configures: the app's token and signing secret, and where Slack's API is. */
import * as z from "zod";

export interface SlackSettings {
  readonly SLACK_BOT_TOKEN: string;
  readonly SLACK_SIGNING_SECRET: string;
  /** Methods are its subpaths; no slash at its end. */
  readonly SLACK_API_URL: string;
  /** Whose conversation a thread in a channel is, and which messages in it are answered. */
  readonly SLACK_CHANNEL_THREADS: ChannelThreads;
}

/**
 * `mention`: the thread's own; who joins a thread that somebody else began mentions the oracle. `every-message`: the thread's own,
 * and everybody is answered. `first-speaker`: it belongs to the person who began it, with their memory, preferences and credits.
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

/** What the operator configures: the app's token and signing secret, and where Slack's API is. */
import * as z from "zod";

export interface SlackSettings {
  readonly SLACK_BOT_TOKEN: string;
  readonly SLACK_SIGNING_SECRET: string;
  /** Methods are its subpaths; no slash at its end. */
  readonly SLACK_API_URL: string;
}

const DEFAULT_API_URL = "https://slack.com/api";

export const slackSettings: z.ZodType<SlackSettings> = z.object({
  SLACK_BOT_TOKEN: z.string().min(1),
  SLACK_SIGNING_SECRET: z.string().min(1),
  SLACK_API_URL: z
    .union([z.literal("").transform(() => DEFAULT_API_URL), z.url({ protocol: /^https?$/ })])
    .default(DEFAULT_API_URL)
    .transform((url) => url.replace(/\/+$/, "")),
});

/** Where in Slack a turn belongs: what the route puts into `metadata.slack`, and the turn's hooks read back. */
import * as z from "zod";
import type { JsonObject } from "../../../platform/json.ts";

/** Names the plugin's turns; only its route can start one. */
export const SLACK_CLIENT = "slack";

const place = z.object({
  team: z.string(),
  channel: z.string(),
  /** The timestamp of the thread's first message. */
  thread: z.string(),
  /** Who asked. */
  user: z.string(),
});

export type SlackPlace = z.output<typeof place>;

export function metadataOf(of: SlackPlace): JsonObject {
  return { slack: { ...of } };
}

/** Undefined for a turn of another client: its metadata is the client's own. */
export function placeOf(client: string, metadata: JsonObject): SlackPlace | undefined {
  if (client !== SLACK_CLIENT) return undefined;
  const parsed = place.safeParse(metadata["slack"]);
  return parsed.success ? parsed.data : undefined;
}

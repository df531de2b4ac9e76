/** The Slack place of a turn: the route puts it into `metadata.slack`, and the turn's hooks read it. */
import * as z from "zod";
import type { JsonObject } from "../../../platform/json.ts";

/** The client of the plugin's turns; only its route can start one. */
export const SLACK_CLIENT = "slack";

const place = z.object({
  team: z.string(),
  channel: z.string(),
  /** The timestamp of the thread's first message. */
  thread: z.string(),
  /** The author of the question. */
  user: z.string(),
});

export type SlackPlace = z.output<typeof place>;

export function metadataOf(of: SlackPlace): JsonObject {
  return { slack: { ...of } };
}

/** Undefined for a turn of another client, whose metadata is its own. */
export function placeOf(client: string, metadata: JsonObject): SlackPlace | undefined {
  if (client !== SLACK_CLIENT) return undefined;
  const parsed = place.safeParse(metadata["slack"]);
  return parsed.success ? parsed.data : undefined;
}

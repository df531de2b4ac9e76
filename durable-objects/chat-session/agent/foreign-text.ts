/**
 * Whether the model of a turn reads text that the user did not write: it may hold a prompt injection, so a tool whose effect
 * outlives the conversation asks the user first. Everything is read from what the session stores, so that a restart changes nothing.
 */
import type { MessageRecord } from "../../../protocol/records.ts";
import { APPROVE_TOOL } from "../../../protocol/socket-events.ts";
import { isJsonObject } from "../../../workers/platform/json.ts";
import type { RunRequest } from "../run-request.ts";
import type { Toolbox } from "./capabilities.ts";

/** Whether results of that tool count. A tool that the turn no longer has counts: nobody knows where its text came from. */
export function isForeignTool({ find }: Toolbox, name: string): boolean {
  if (name === APPROVE_TOOL) return false;
  const tool = find(name);
  if ("problem" in tool) return true;
  return "runsIn" in tool ? tool.runsIn === "browser" : tool.foreign === true;
}

/** Whether one of these records has an attachment or the result of a foreign tool. */
export function haveForeignText(records: readonly MessageRecord[], isForeign: (toolName: string) => boolean): boolean {
  return records.some(
    ({ attachments = [], toolCalls = [] }) => attachments.length > 0 || toolCalls.some(({ name }) => isForeign(name)),
  );
}

/** Attachments, what other people say in a shared place, and text that is selected in the user's page. */
export function bringsForeignText({ attachments, isShared, metadata: { page } }: RunRequest): boolean {
  const selection = isJsonObject(page) ? page["selection"] : undefined;
  return attachments.length > 0 || isShared === true || (typeof selection === "string" && selection.trim() !== "");
}

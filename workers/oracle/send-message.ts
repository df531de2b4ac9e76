/** How the body of `POST /messages/:sessionId` becomes a turn. */
import type { Delegation, RunRequest } from "../../durable-objects/chat-session/run-request.ts";
import { MAX_CLIENT_MESSAGE_ID_LENGTH } from "../../protocol/limits.ts";
import type { SendMessage } from "../../protocol/requests.ts";
import type { JsonObject } from "../platform/json.ts";
import { timezoneOf } from "./timezone.ts";

/** What a turn takes from the request around the body. */
export interface TurnCircumstances {
  /** Under which the turn was counted. */
  readonly runKey: string;
  readonly requestId: string;
  readonly headers: Headers;
  /** The delegation of the request's own header, verified. */
  readonly delegation: Delegation | undefined;
}

export function turnOf(body: SendMessage, { runKey, requestId, headers, delegation }: TurnCircumstances): RunRequest {
  return {
    runKey,
    clientMessageId: clientMessageIdOf(body.metadata),
    requestId,
    client: "portal",
    message: body.message,
    model: body.model,
    multitask: body.multitask,
    timezone: timezoneOf(body.timezone, headers.get("x-timezone")),
    attachments: body.attachments,
    tools: firstOfEachName(body.tools),
    agActions: firstOfEachName(body.agActions),
    mcpInvocations: body.mcpInvocations,
    homeServer: body.homeServer ?? headers.get("x-matrix-homeserver") ?? undefined,
    metadata: body.metadata,
    delegation,
  };
}

/** Anything else under that name is the client's own affair. */
function clientMessageIdOf({ clientMessageId }: JsonObject): string | undefined {
  if (typeof clientMessageId !== "string" || clientMessageId === "") return undefined;
  return clientMessageId.length <= MAX_CLIENT_MESSAGE_ID_LENGTH ? clientMessageId : undefined;
}

function firstOfEachName<Tool extends { readonly name: string }>(tools: readonly Tool[]): readonly Tool[] {
  const first = new Map<string, Tool>();
  for (const tool of tools) if (!first.has(tool.name)) first.set(tool.name, tool);
  return [...first.values()];
}

/** The oracle's OpenAPI document: the operations of its own routes and of its plugins' (contract/oracle.md section 1). */
import { buildOpenApi, type Operation } from "../platform/openapi.ts";
import type { JsonObject } from "../platform/json.ts";
import { securitySchemes } from "./description.ts";
import { delegationStatus, revokeDelegation, storeDelegation } from "./routes/delegation.ts";
import { readDidDocument } from "./routes/did-document.ts";
import { listMessages, pageMessages } from "./routes/history.ts";
import { abortTurn, sendMessage } from "./routes/messages.ts";
import { listModels } from "./routes/models.ts";
import { activeRun, followRun } from "./routes/runs.ts";
import { receiveEvents, sendEvents } from "./routes/sockets.ts";
import { readHealth, readRoot } from "./shared-paths.ts";
import { createSession, deleteSession, listSessions } from "./routes/sessions.ts";

export const ownOperations: readonly Operation[] = [
  createSession,
  listSessions,
  deleteSession,
  sendMessage,
  listMessages,
  pageMessages,
  abortTurn,
  activeRun,
  followRun,
  storeDelegation,
  delegationStatus,
  revokeDelegation,
  listModels,
  readDidDocument,
  receiveEvents,
  sendEvents,
];

/** On every answer to a request that was counted. */
const rateLimitHeaders = {
  "X-RateLimit-Limit": "How many requests a user may make in a minute.",
  "X-RateLimit-Remaining": "How many of them are left now.",
};
const retryHeaders = { "Retry-After": "Seconds after which trying again makes sense." };

/** What middleware adds to the answers of an operation. */
function withHeaders(operation: Operation): Operation {
  if (operation.security.length === 0) return operation;
  const responses = Object.entries(operation.responses).map(([status, response]) => {
    const isCounted = status !== "401" && status !== "503";
    const headers = {
      ...response.headers,
      ...(isCounted ? rateLimitHeaders : {}),
      ...(["429", "502", "503"].includes(status) ? retryHeaders : {}),
    };
    return [status, Object.keys(headers).length === 0 ? response : { ...response, headers }];
  });
  return { ...operation, responses: Object.fromEntries(responses) as Operation["responses"] };
}

export function describeOracle(pluginOperations: readonly Operation[]): JsonObject {
  return buildOpenApi({
    title: "Oracle chat service",
    version: "1",
    description:
      "Chat sessions with an oracle, answered whole or as server-sent events. Callers prove who they are with UCAN.",
    tags: [
      { name: "Sessions", description: "Open, list and delete chat sessions" },
      { name: "Messages", description: "Send messages and read the transcript" },
      { name: "Runs", description: "Turns that outlive their client, and how to join them again" },
      { name: "Events", description: "The Socket.IO channel of a session" },
      { name: "Delegation", description: "What the user lets the oracle do elsewhere" },
      { name: "Preferences", description: "How the user wants to be answered" },
      { name: "Oracle", description: "What this oracle is and offers" },
    ],
    securitySchemes,
    operations: [readRoot, readHealth, ...[...ownOperations, ...pluginOperations].map(withHeaders)],
  });
}

/** Sessions and turns for tests, with defaults for everything that a test does not care about. */
import type { RunRequest } from "../../../oracle/run-request.ts";
import type { SessionRecord } from "../../../protocol/records.ts";
import type { Failure } from "../../../platform/failure.ts";
import type { Result } from "../../../platform/result.ts";

export const OWNER = "did:key:z6MkOwner";
export const STRANGER = "did:key:z6MkStranger";

export function sessionRecord(sessionId: string): SessionRecord {
  const at = "2026-11-21T09:00:00.000Z";
  const oracle = { oracleName: "Oracle", oracleDid: "did:ixo:ixo1oracletest", oracleEntityDid: "" };
  return { sessionId, title: "Untitled", createdAt: at, lastUpdatedAt: at, ...oracle };
}

export function turn(message: string, change: Partial<RunRequest> = {}): RunRequest {
  return {
    requestId: `req-${crypto.randomUUID()}`,
    client: "portal",
    message,
    multitask: "interrupt",
    attachments: [],
    tools: [],
    agActions: [],
    mcpInvocations: {},
    metadata: {},
    ...change,
  };
}

/** The value of a result that must be a success. */
export function valueOf<Value>(result: Result<Value>): Value {
  if (!result.ok) throw new Error(`refused: ${result.error.message}`);
  return result.value;
}

/** The failure of a result that must be a refusal. */
export function faultOf(result: Result<unknown>): Failure {
  if (result.ok) throw new Error("was not refused");
  return result.error;
}

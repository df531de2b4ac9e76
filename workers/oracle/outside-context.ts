/**
 * The context of a plugin outside of a run, in its routes and on its schedule: storage of proven users, runs,
 * background work.
 */
import { fail, type Failure } from "../../platform/failure.ts";
import { describeThrown, type Logger } from "../../platform/log.ts";
import { success } from "../../platform/result.ts";
import { acceptOutsideRun, derivedSessionId, TEXT_CLIENT, type AcceptParts, type WantedRun } from "./outside-run.ts";
import type { ErrorSource } from "../../oracle/framework/app-options.ts";
import type { OutsideContext, UserStorage } from "../../oracle/framework/context.ts";
import { createPluginBlobs } from "../../oracle/framework/plugin-blobs.ts";
import { blobBucket, createPluginKv, createPluginTexts } from "../../oracle/framework/storage.ts";
import { invalidTurn, type Turns, type TurnStart } from "../../oracle/framework/turns.ts";
import { userVault } from "./objects.ts";
import type { PluginEdge } from "../../oracle/boot/boot-options.ts";
import { timezoneOf } from "./timezone.ts";

export interface OutsideParts extends AcceptParts {
  /** The id of the request, or of the schedule's run. */
  readonly requestId: string;
  readonly logger: Logger;
  readonly waitUntil: (work: Promise<unknown>) => void;
  readonly onError: (error: unknown, source: ErrorSource) => void;
}

export function outsideContext(
  { plugin, context }: Pick<PluginEdge, "plugin" | "context">,
  parts: OutsideParts,
): OutsideContext {
  const { env, runtime, logger, waitUntil, onError } = parts;
  const { did, entityDid } = runtime.identity;
  return {
    ...context,
    identity: { ...context.identity, did, entityDid },
    logger,
    storageOf: (user) => storageOf(env, plugin.name, user),
    turns: turnsOf(plugin.name, parts),
    background(work) {
      const guarded = work.catch((thrown: unknown) => {
        logger.error("plugin-background-failed", { plugin: plugin.name, reason: describeThrown(thrown) });
        onError(thrown, `plugin:${plugin.name}`);
      });
      waitUntil(guarded);
    },
  };
}

function storageOf(env: Env, plugin: string, did: string): UserStorage {
  const bucket = blobBucket(env);
  return {
    kv: createPluginKv(() => userVault(env, did), plugin),
    texts: createPluginTexts(() => userVault(env, did), plugin),
    blobs: bucket && createPluginBlobs(() => bucket, plugin, did),
  };
}

function turnsOf(plugin: string, parts: OutsideParts): Turns {
  return {
    async start(turn) {
      const invalid = invalidTurn(turn);
      if (invalid !== undefined) return fail("invalid_request", invalid);
      const { did, session, title } = turn;
      const { runtime, logger } = parts;
      try {
        const sessionId = await derivedSessionId(["plugin turns", runtime.identity.did, plugin, did, session]);
        const request = requestOf(turn, parts.requestId);
        const messageLimit = runtime.config.ORACLE_MESSAGES_PER_SESSION;
        const accepted = await acceptOutsideRun(parts, { did, sessionId, title, request, messageLimit });
        return accepted.ok ? success({ sessionId, ...accepted.value }) : accepted;
      } catch (thrown) {
        logger.error("turn-start-failed", { plugin, reason: describeThrown(thrown) });
        return unreachable;
      }
    },
  };
}

const unreachable: { readonly ok: false; readonly error: Failure } = fail(
  "unavailable",
  "The oracle cannot take the message right now. Please try again later.",
);

/** Queued, because a second message from one place must not end the answer to the first. */
function requestOf(turn: TurnStart, requestId: string): WantedRun["request"] {
  const { message, messageId, client, capabilities, isShared, foreign, payer, metadata, answerStyle } = turn;
  const zone = timezoneOf(turn.timezone);
  return {
    clientMessageId: messageId,
    requestId,
    client,
    capabilities: { ...TEXT_CLIENT, ...capabilities },
    ...(isShared === true ? { isShared } : {}),
    ...(foreign === true ? { isForeign: foreign } : {}),
    ...(payer === undefined ? {} : { payer }),
    endsQuestions: true,
    message,
    ...(answerStyle === undefined ? {} : { answerStyle }),
    ...(zone === undefined ? {} : { timezone: zone }),
    multitask: "enqueue",
    attachments: [],
    tools: [],
    agActions: [],
    mcpInvocations: {},
    metadata: metadata ?? {},
  };
}

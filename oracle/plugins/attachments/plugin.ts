/**
 * The plugin attachments: reads the files of a message, gives the model the content that it accepts, and stores it for later turns,
 * which read it with `view_attachment`.
 */
import * as z from "zod";
import type { AttachmentRequest } from "../../framework/attachments.ts";
import type { RuntimeContext } from "../../framework/context.ts";
import type { AgentMiddleware } from "../../framework/middleware.ts";
import { defineOraclePlugin } from "../../framework/plugin.ts";
import { tool } from "../../framework/tools.ts";
import { describeThrown } from "../../../platform/log.ts";
import { failure } from "../../../platform/result.ts";
import { createFence, failureNote, NOT_KEPT, textForModel, UNSEEN_IMAGE, type Content } from "./content.ts";
import { createMessageBudget, type MessageBudget } from "./download.ts";
import { downloadFile } from "./file-download.ts";
import { createKeptContents, storedFiles, type KeptContents } from "./kept-contents.ts";
import { DOWNLOAD_MS, MESSAGE_MS } from "./limits.ts";
import { readAttachments } from "./read-attachments.ts";
import { VIEW_TOOL, withContents } from "./prompt.ts";
import { uploadRoutes } from "./upload-routes.ts";
import { dropUpload, readUpload, uploadIdOf } from "./uploads.ts";
import { attachmentSettings, type AttachmentSettings } from "./settings.ts";
import { callerOf } from "./caller.ts";
import { pause } from "../../../platform/pause.ts";

type Context = RuntimeContext<AttachmentSettings>;

const viewAttachment = tool(
  async ({ id }, ctx) => {
    const found = await keptOf(ctx).load(id);
    if (found === undefined)
      return `[There is no attachment ${JSON.stringify(id)} in this conversation, or ${NOT_KEPT}]`;
    const { file, content } = found;
    if (content.kind === "text") return textForModel(file, content, { fence: createFence() });
    if (content.kind === "failed") return failureNote(file, content.reason);
    return ctx.model.vision ? "The image is at the end of the user's message." : failureNote(file, UNSEEN_IMAGE);
  },
  {
    name: VIEW_TOOL,
    description: "Shows an attachment of an earlier turn, by the id in its note.",
    schema: z.object({ id: z.string().max(64) }),
    effect: "read",
    foreign: true,
  },
);

export const attachments = defineOraclePlugin({
  name: "attachments",
  version: "1.0.0",
  manifest: {
    title: "Attachments",
    summary: "Files that the user sent in this conversation.",
    whenToUse: ["a file of an earlier turn matters again"],
    whenNotToUse: ["files of this turn and the one before it, which are in the conversation"],
    examples: [{ user: "What did the first report say?", tool: VIEW_TOOL, args: { id: "a1_1" } }],
    category: "data",
    visibility: "always",
    stability: "stable",
  },
  configSchema: attachmentSettings,
  exportUser: (did, { storageOf }) => storedFiles(storageOf(did).kv),
  getRoutes: () => uploadRoutes,
  turnsWith: ["attachments"],
  getTools: () => [viewAttachment],
  getMiddlewares: (ctx) => [createMiddleware(ctx)],
});

/** Holds the contents for the steps of one turn; for stored images, only their place. */
function createMiddleware(ctx: Context): AgentMiddleware {
  const contents = new Map<string, Content>();
  const kept = keptOf(ctx);
  const fence = createFence();

  async function contentOf(id: string): Promise<Content | undefined> {
    const known = contents.get(id) ?? (await kept.load(id))?.content;
    if (known !== undefined) contents.set(id, known);
    return known;
  }

  return {
    name: "attachments",
    async beforeAgent() {
      const read = await readRequest(ctx, kept);
      if (read === undefined)
        return {
          jumpTo: "end",
          failure: {
            kind: "unknown",
            code: "attachments_too_large",
            message: "The attachments of a message may have 50 MB in total. Send fewer or smaller files.",
            retryable: false,
          },
        };
      for (const [id, content] of read) contents.set(id, content);
      return undefined;
    },
    async wrapModelCall(request, next) {
      const { vision, contextTokens } = ctx.modelOf(request.model);
      const messages = await withContents(request.messages, { vision, contextTokens, fence, contentOf });
      return next({ ...request, messages });
    },
  };
}

function readRequest(ctx: Context, kept: KeptContents): Promise<ReadonlyMap<string, Content> | undefined> {
  const { config, request, abortSignal, logger, kv, blobs } = ctx;
  const budget = createMessageBudget();
  const whole = AbortSignal.timeout(MESSAGE_MS);
  const { roomId } = request.metadata;
  return readAttachments(request.attachments, {
    kept,
    budget,
    fileSignal: () => AbortSignal.any([abortSignal, whole, AbortSignal.timeout(DOWNLOAD_MS)]),
    time: { now: () => Date.now(), rest, timeout: (milliseconds) => AbortSignal.timeout(milliseconds) },
    notKept: (thrown) => logger.warn("attachment-not-kept", { reason: describeThrown(thrown) }),
    download(attachment, limit, signal) {
      const id = uploadOf(attachment);
      if (id !== undefined) return readWithin(budget, readUpload({ blobs }, id));
      return downloadFile(
        attachment,
        {
          ...config,
          caller: callerOf(request),
          roomId: typeof roomId === "string" ? roomId : undefined,
          budget,
          limit,
          pause,
        },
        signal,
      );
    },
    async isKept(attachment) {
      const id = uploadOf(attachment);
      if (id !== undefined && blobs !== undefined) await dropUpload({ kv, blobs }, id);
    },
  });
}

/** The id of a file that a client uploaded to the oracle itself. */
function uploadOf({ file, mxcUri }: AttachmentRequest): string | undefined {
  return file === undefined && mxcUri !== undefined ? uploadIdOf(mxcUri) : undefined;
}

async function readWithin(
  budget: MessageBudget,
  reading: ReturnType<typeof readUpload>,
): ReturnType<typeof readUpload> {
  const read = await reading;
  return read.ok && !budget.take(read.value.byteLength) ? failure("it is too large together with the others") : read;
}

function keptOf({ kv, blobs, session, user }: RuntimeContext): KeptContents {
  return createKeptContents({ kv, blobs, sessionId: session.id, now: user.currentTime });
}

/** Yields to other work in the isolate. */
function rest(milliseconds: number): Promise<void> {
  return pause(milliseconds);
}

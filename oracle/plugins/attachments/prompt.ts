/**
 * The messages of a model request with attachments' contents in place of their marks: whole for the newest turns, as far as the
 * model's window and the request have room; notes for older turns. An image that `view_attachment` was called for comes at the end.
 */
import { attachmentOf, type AttachmentReference, type UserPart } from "../../framework/attachments.ts";
import type { ModelCallRequest } from "../../framework/model-call.ts";
import { isJsonObject } from "../../../platform/json.ts";
import {
  failureNote,
  omittedNote,
  NOT_KEPT,
  olderNote,
  textForModel,
  UNSEEN_IMAGE,
  viewedNote,
  type Content,
  type ImageContent,
  type NamedFile,
} from "./content.ts";
import { CHARACTERS_PER_TOKEN, NEWEST_TURNS, PROMPT_SHARE, REQUEST_IMAGE_BYTES } from "./limits.ts";

export const VIEW_TOOL = "view_attachment";

export interface PromptOptions {
  /** Abilities of the model. */
  readonly vision: boolean;
  readonly contextTokens: number;
  /** The word that ends texts in this turn. */
  readonly fence: string;
  readonly contentOf: (id: string) => Promise<Content | undefined>;
}

type Messages = ModelCallRequest["messages"];

export async function withContents(messages: Messages, options: PromptOptions): Promise<Messages> {
  const references = messages.flatMap((message) =>
    message.role === "user" ? message.content.map(attachmentOf).filter((each) => each !== undefined) : [],
  );
  const request = createRequestRoom(options);
  const viewed = await request.viewedImages(viewedIds(messages));
  const shown = new Map<string, UserPart>();
  for (const reference of references.toSorted((one, other) => one.age - other.age))
    shown.set(reference.id, await request.partOf(reference, viewed.has(reference.id)));
  const last = messages.findLastIndex(({ role }) => role === "user");
  if (shown.size === 0 && viewed.size === 0) return messages;
  return messages.map((message, index) => {
    if (message.role !== "user") return message;
    const content = message.content.map((part) => shown.get(attachmentOf(part)?.id ?? "") ?? part);
    return { ...message, content: index === last ? [...content, ...[...viewed.values()].flat()] : content };
  });
}

/** The room of one request: a share of the model's window for texts, bytes for images. First come, first served. */
function createRequestRoom({ vision, contextTokens, fence, contentOf }: PromptOptions) {
  let textRoom = Math.floor(contextTokens * CHARACTERS_PER_TOKEN * PROMPT_SHARE);
  let imageRoom = REQUEST_IMAGE_BYTES;

  function text(content: string): UserPart {
    textRoom -= content.length;
    return { type: "text", text: content };
  }

  async function imageOf(file: NamedFile, { mediaType, size, bytes }: ImageContent): Promise<UserPart> {
    if (!vision) return text(failureNote(file, UNSEEN_IMAGE));
    if (size !== undefined && size > imageRoom) return text(omittedNote(file));
    const data = await bytes();
    if (data === undefined) return text(failureNote(file, NOT_KEPT));
    if (data.byteLength > imageRoom) return text(omittedNote(file));
    imageRoom -= data.byteLength;
    return { type: "file", mediaType, data: { type: "data", data } };
  }

  return {
    async partOf(reference: AttachmentReference, isViewed: boolean): Promise<UserPart> {
      if (reference.age >= NEWEST_TURNS) return text(olderNote(reference));
      const content = (await contentOf(reference.id)) ?? { kind: "failed", reason: NOT_KEPT };
      if (content.kind === "text") return text(textForModel(reference, content, { fence, room: textRoom }));
      if (content.kind === "failed") return text(failureNote(reference, content.reason));
      return isViewed ? text(viewedNote(reference)) : imageOf(reference, content);
    },
    /** By id, in the order of the calls; the latest call has room first. */
    async viewedImages(ids: readonly string[]): Promise<ReadonlyMap<string, readonly UserPart[]>> {
      const parts: (readonly [string, readonly UserPart[]])[] = [];
      for (const id of ids.toReversed()) {
        const found = vision ? await contentOf(id) : undefined;
        if (found?.kind !== "image") continue;
        const named = { id, filename: id, mimetype: found.mediaType };
        parts.push([id, [{ type: "text", text: `[Attachment ${id}]` }, await imageOf(named, found)]]);
      }
      return new Map(parts.toReversed());
    },
  };
}

/** The attachments that the calls of this turn show. A tool's output is text, so the image is added to the user's message. */
function viewedIds(messages: Messages): readonly string[] {
  const own = messages.slice(messages.findLastIndex(({ role }) => role === "user") + 1);
  const ids = own.flatMap((message) =>
    message.role !== "assistant"
      ? []
      : message.content.flatMap((part) =>
          part.type === "tool-call" && part.toolName === VIEW_TOOL ? idIn(part.input) : [],
        ),
  );
  return [...new Set(ids)];
}

function idIn(input: unknown): readonly string[] {
  return isJsonObject(input) && typeof input["id"] === "string" ? [input["id"]] : [];
}

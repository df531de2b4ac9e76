/**
 * The messages of a model's request with the contents of attachments in place of their marks: those of the newest turns whole, as
 * far as the model's window has room, older ones as notes. An image that `view_attachment` was called for stands at the end.
 */
import { attachmentOf, type AttachmentReference, type UserPart } from "../../framework/attachments.ts";
import type { ModelCallRequest } from "../../framework/middleware.ts";
import { isJsonObject } from "../../../platform/json.ts";
import {
  failureNote,
  NOT_KEPT,
  olderNote,
  textForModel,
  UNSEEN_IMAGE,
  type Content,
  type NamedFile,
} from "./content.ts";
import { CHARACTERS_PER_TOKEN, NEWEST_TURNS, PROMPT_SHARE } from "./limits.ts";

export const VIEW_TOOL = "view_attachment";

export interface PromptOptions {
  /** What the model is that is asked. */
  readonly vision: boolean;
  readonly contextTokens: number;
  readonly contentOf: (id: string) => Promise<Content | undefined>;
}

type Messages = ModelCallRequest["messages"];

export async function withContents(messages: Messages, options: PromptOptions): Promise<Messages> {
  const references = messages.flatMap((message) =>
    message.role === "user" ? message.content.map(attachmentOf).filter((each) => each !== undefined) : [],
  );
  const shown = new Map<string, UserPart>();
  let room = Math.floor(options.contextTokens * CHARACTERS_PER_TOKEN * PROMPT_SHARE);
  for (const reference of references.toSorted((one, other) => one.age - other.age)) {
    const part = await partOf(reference, options, room);
    if (part.type === "text") room -= part.text.length;
    shown.set(reference.id, part);
  }
  const viewed = await viewedImages(messages, options);
  const last = messages.findLastIndex(({ role }) => role === "user");
  if (shown.size === 0 && viewed.length === 0) return messages;
  return messages.map((message, index) => {
    if (message.role !== "user") return message;
    const content = message.content.map((part) => shown.get(attachmentOf(part)?.id ?? "") ?? part);
    return { ...message, content: index === last ? [...content, ...viewed] : content };
  });
}

async function partOf(reference: AttachmentReference, options: PromptOptions, room: number): Promise<UserPart> {
  if (reference.age >= NEWEST_TURNS) return { type: "text", text: olderNote(reference) };
  const content = (await options.contentOf(reference.id)) ?? { kind: "failed", reason: NOT_KEPT };
  return contentPart(reference, content, { ...options, room });
}

function contentPart(
  file: NamedFile,
  content: Content,
  { vision, room }: { readonly vision: boolean; readonly room: number },
): UserPart {
  if (content.kind === "text") return { type: "text", text: textForModel(file, content, room) };
  if (content.kind === "failed") return { type: "text", text: failureNote(file, content.reason) };
  if (!vision) return { type: "text", text: failureNote(file, UNSEEN_IMAGE) };
  return imagePart(content);
}

function imagePart({ mediaType, bytes }: Extract<Content, { kind: "image" }>): UserPart {
  return { type: "file", mediaType, data: { type: "data", data: bytes } };
}

/** The output of a tool is text, so that an image comes with the user's message. */
async function viewedImages(messages: Messages, { vision, contentOf }: PromptOptions): Promise<readonly UserPart[]> {
  if (!vision) return [];
  const own = messages.slice(messages.findLastIndex(({ role }) => role === "user") + 1);
  const ids = own.flatMap((message) =>
    message.role !== "assistant"
      ? []
      : message.content.flatMap((part) =>
          part.type === "tool-call" && part.toolName === VIEW_TOOL ? idIn(part.input) : [],
        ),
  );
  const parts: UserPart[] = [];
  for (const id of new Set(ids)) {
    const content = await contentOf(id);
    if (content?.kind === "image") parts.push({ type: "text", text: `[Attachment ${id}]` }, imagePart(content));
  }
  return parts;
}

function idIn(input: unknown): readonly string[] {
  return isJsonObject(input) && typeof input["id"] === "string" ? [input["id"]] : [];
}

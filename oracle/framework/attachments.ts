/**
 * Attachments in messages to the model. Each is a text part of the user's message which says that the file was not read, marked
 * with the file's reference; middleware that can read the file replaces the part.
 */
import type { LanguageModelV4Prompt } from "@ai-sdk/provider";
import type { Attachment } from "../run-request.ts";

/** An attachment of a message, with an id that is unique in its session and that a model can repeat: `a3_1`. */
export interface AttachmentRequest extends Attachment {
  readonly id: string;
}

export interface AttachmentReference extends AttachmentRequest {
  /** How many turns ago it was sent: 0 is the current turn. */
  readonly age: number;
}

type UserContent = Extract<LanguageModelV4Prompt[number], { role: "user" }>["content"];
export type UserPart = UserContent[number];

const MARK = "twinedge";

/** The part in a message to the model. */
export function attachmentPart(reference: AttachmentReference, note: string): UserPart {
  return { type: "text", text: note, providerOptions: { [MARK]: { attachment: { ...reference } } } };
}

/** The attachment that the part represents; undefined for any other part. */
export function attachmentOf(part: UserPart): AttachmentReference | undefined {
  const marked = part.providerOptions?.[MARK]?.["attachment"];
  return marked === undefined ? undefined : (marked as unknown as AttachmentReference);
}

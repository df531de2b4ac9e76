/**
 * Attachments in the messages to the model: behind the text of the turn that they came with, each a note that says that the file
 * was not read, marked with what it stands for, so that a plugin can put the file in its place. A mark has no key.
 */
import * as z from "zod";
import type { MessageRecord } from "../../protocol/records.ts";
import { attachmentPart, type AttachmentRequest, type UserPart } from "../framework/attachments.ts";
import { quoted } from "../../platform/json.ts";

/** An attachment as the transcript has it, with its id in the session. */
const recordedAttachment = z.object({
  id: z.string(),
  filename: z.string(),
  mimetype: z.string(),
  mxcUri: z.string().optional(),
  eventId: z.string().optional(),
  size: z.number().optional(),
  category: z.string().optional(),
});

/** Of an older turn; what cannot be read has no mark. */
export function recordedMarks({ attachments = [] }: MessageRecord, age: number): readonly UserPart[] {
  const readable = attachments.flatMap((each) => recordedAttachment.safeParse(each).data ?? []);
  return attachmentMarks(readable, age);
}

export function attachmentMarks(attachments: readonly AttachmentRequest[], age: number): readonly UserPart[] {
  return attachments.map(({ file: _key, ...attachment }) => attachmentPart({ ...attachment, age }, noteOf(attachment)));
}

function noteOf({ filename, mimetype }: Pick<AttachmentRequest, "filename" | "mimetype">): string {
  return `[Attachment ${quoted(filename)} (${quoted(mimetype)}) could not be read: this oracle does not read attachments]`;
}

/** What marks count for in the model's window, UTF-16 units. */
export function marksSize(marks: readonly UserPart[]): number {
  return marks.reduce((size, mark) => size + (mark.type === "text" ? mark.text.length : 0), 0);
}

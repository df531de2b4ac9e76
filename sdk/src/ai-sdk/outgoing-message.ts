/**
 * Selects the part of the AI SDK's messages to send to an oracle: the user's last message, or the answers to the
 * oracle's questions.
 */
import type { FileUIPart, UIMessage } from "ai";
import type { Attachment } from "../core/wire.ts";

/** Uploads a file to a place that the oracle can read, such as the user's Matrix room, and returns its address. */
export type UploadFile = (file: FileUIPart) => Promise<Attachment>;

export interface OutgoingMessage {
  readonly kind: "message";
  readonly id: string;
  readonly message: string;
  readonly attachments: readonly Attachment[];
}

/** The user approved or denied calls of a run. */
export interface OutgoingAnswers {
  readonly kind: "answers";
  /** The id of the assistant's message, which is continued. */
  readonly id: string;
  readonly runId: string;
  readonly answers: readonly { readonly id: string; readonly approved: boolean }[];
}

const KEEPS_HISTORY = "An oracle keeps its history: send the changed text as a new message.";

export interface Submission {
  readonly trigger: "submit-message" | "regenerate-message";
  readonly messageId: string | undefined;
  readonly messages: readonly UIMessage[];
}

export async function outgoing(
  { trigger, messageId, messages }: Submission,
  upload: UploadFile | undefined,
): Promise<OutgoingMessage | OutgoingAnswers> {
  const continued = messages.find(({ id, role }) => id === messageId && role === "assistant") ?? messages.at(-1);
  if (trigger === "submit-message" && continued?.role === "assistant") return answersOf(continued);
  const last = messages.findLast(({ role }) => role === "user");
  if (last === undefined) throw new Error("There is no user message to send.");
  if (trigger === "submit-message" && messageId === last.id) throw new Error(KEEPS_HISTORY);
  const message = last.parts.map((part) => (part.type === "text" ? part.text : "")).join("");
  if (message.trim() === "") throw new Error("A message with files also needs a text.");
  const files = last.parts.filter((part) => part.type === "file");
  const attachments = await Promise.all(files.map((file) => attachmentOf(file, upload)));
  return { kind: "message", id: last.id, message, attachments };
}

function answersOf({ id, metadata, parts }: UIMessage): OutgoingAnswers {
  const answers = parts.flatMap((part) => {
    if (!("approval" in part) || part.state !== "approval-responded") return [];
    const { approval } = part;
    return [{ id: approval.id, approved: approval.approved }];
  });
  if (answers.length === 0) throw new Error("The oracle runs its tools itself, so there is nothing to send.");
  const { runId = id } = (metadata ?? {}) as { readonly runId?: string };
  return { kind: "answers", id, runId, answers };
}

async function attachmentOf(file: FileUIPart, upload: UploadFile | undefined): Promise<Attachment> {
  const { url, mediaType, filename } = file;
  if (url.startsWith("mxc://")) {
    const name = url.slice(url.lastIndexOf("/") + 1);
    return { mxcUri: url, filename: filename ?? name, mimetype: mediaType };
  }
  if (upload === undefined)
    throw new Error("An oracle reads files from Matrix: pass their mxc:// URI, or set `upload` of the transport.");
  return upload(file);
}

/**
 * Reads the files of a message one after the other: each is downloaded, checked, read and stored before the next one, so that only
 * one is in memory as bytes. A failed file leaves a note; only exceeding the byte limit ends the turn.
 */
import type { AttachmentRequest } from "../../framework/attachments.ts";
import { NOT_HELD, type Content } from "./content.ts";
import type { MessageBudget } from "./download.ts";
import { TOO_SLOW } from "./file-download.ts";
import type { KeptContents } from "./kept-contents.ts";
import { REQUEST_IMAGE_BYTES } from "./limits.ts";
import { readingOf, SIZE_LIMITS, type SizeLimit } from "./media-type.ts";
import { readContent } from "./read-content.ts";
import type { Result } from "../../../platform/result.ts";
import type { WorkTime } from "./work-slices.ts";

export interface ReadingPorts {
  readonly kept: KeptContents;
  readonly budget: Pick<MessageBudget, "isSpent">;
  readonly download: (
    attachment: AttachmentRequest,
    limit: SizeLimit,
    signal: AbortSignal,
  ) => Promise<Result<Uint8Array<ArrayBuffer>, string>>;
  /** Fires when the time for one file, or the rest of the message's time, is over. */
  readonly fileSignal: () => AbortSignal;
  readonly time: WorkTime;
  /** Whether the content is stored or known to be unreadable, so that the file is not needed again. */
  readonly isKept?: (attachment: AttachmentRequest) => Promise<void>;
  /** A content could not be stored: later turns will not have it. */
  readonly notKept: (thrown: unknown) => void;
}

/** Contents by attachment id; undefined when the message exceeds its budget. */
export async function readAttachments(
  attachments: readonly AttachmentRequest[],
  ports: ReadingPorts,
): Promise<ReadonlyMap<string, Content> | undefined> {
  const contents = new Map<string, Content>();
  const room = createMemoryRoom();
  for (const attachment of attachments) {
    // A recovered turn has lost its token, but not the stored contents.
    const known = await ports.kept.load(attachment.id);
    const content = known?.content ?? (await readOne(attachment, ports));
    if (ports.budget.isSpent) return undefined;
    const held = known === undefined ? await keep(attachment, content, ports) : content;
    contents.set(attachment.id, room.take(held) ? held : { kind: "failed", reason: NOT_HELD });
  }
  return contents;
}

/** Images that could not be stored stay in memory until the turn ends. */
function createMemoryRoom() {
  let left = REQUEST_IMAGE_BYTES;
  return {
    take(content: Content): boolean {
      if (content.kind !== "image" || !content.isHeld) return true;
      const size = content.size ?? 0;
      if (size > left) return false;
      left -= size;
      return true;
    },
  };
}

async function keep(
  attachment: AttachmentRequest,
  content: Content,
  { kept, notKept, isKept }: ReadingPorts,
): Promise<Content> {
  try {
    const held = await kept.save(attachment, content);
    await isKept?.(attachment);
    return held;
  } catch (thrown) {
    notKept(thrown);
    return content;
  }
}

async function readOne(attachment: AttachmentRequest, ports: ReadingPorts): Promise<Content> {
  const reading = readingOf(attachment.mimetype);
  if (reading === undefined) return { kind: "failed", reason: "files of its type are not read" };
  const signal = ports.fileSignal();
  if (signal.aborted) return { kind: "failed", reason: TOO_SLOW };
  const downloaded = await ports.download(attachment, SIZE_LIMITS[reading], signal);
  if (!downloaded.ok) return { kind: "failed", reason: downloaded.error };
  if (reading !== "image") await ports.kept.begin(attachment).catch(ports.notKept);
  return readContent(attachment, downloaded.value, ports.time);
}

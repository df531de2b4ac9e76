/**
 * Downloads the bytes of one attachment: selects the account, finds the address, and decrypts. Addresses come from users and
 * events, so every request goes through the framework's guarded fetch.
 */
import type { AttachmentRequest } from "../../framework/attachments.ts";
import { guardedFetch, type GuardedRequest } from "../../framework/guarded-fetch.ts";
import { failure, success, type Result } from "../../../platform/result.ts";
import { readBody, type MessageBudget } from "./download.ts";
import { decryptFile, type EncryptedFile } from "./encrypted-file.ts";
import { parseFileSource } from "./file-source.ts";
import type { SizeLimit } from "./media-type.ts";
import { openMedia, readFileEvent, type Account, type MatrixPorts } from "./matrix-client.ts";

export interface DownloadOptions {
  /** The caller's own account; undefined when the request had none, or its turn was recovered. */
  readonly caller: Account | undefined;
  /** The oracle's own account. */
  readonly bot: Account | undefined;
  readonly allowedHosts: readonly string[];
  /** The room of the event. */
  readonly roomId: string | undefined;
  readonly budget: MessageBudget;
  readonly limit: SizeLimit;
  readonly fetch?: GuardedRequest["fetch"];
  readonly pause: MatrixPorts["pause"];
}

export const TOO_SLOW = "it took longer than 60 seconds";
const NO_ACCOUNT = "the message has no Matrix token and homeserver to read it with";

type Bytes = Result<Uint8Array<ArrayBuffer>, string>;

/** The error says why, as the end of "could not be read: ...". `signal`: this file's time limit. */
export async function downloadFile(
  attachment: AttachmentRequest,
  options: DownloadOptions,
  signal: AbortSignal,
): Promise<Bytes> {
  try {
    const found = await locate(attachment, options, signal);
    if (!found.ok) return found;
    const { value } = found;
    const bytes = await readAddress(typeof value === "string" ? value : value.url, options, signal);
    if (signal.aborted) return failure(TOO_SLOW);
    return bytes.ok && typeof value === "object" ? await decryptFile(value, bytes.value) : bytes;
  } catch (thrown) {
    if (signal.aborted) return failure(TOO_SLOW);
    throw thrown;
  }
}

/** The file's address, or how to decrypt it. The client's statement takes precedence over the event's. */
async function locate(
  { file, mxcUri, eventId = "" }: AttachmentRequest,
  options: DownloadOptions,
  signal: AbortSignal,
): Promise<Result<string | EncryptedFile, string>> {
  const known = file ?? mxcUri;
  if (known !== undefined) return success(known);
  const { roomId, caller } = options;
  if (roomId === undefined || !roomId.startsWith("!"))
    return failure("the message does not name the room of its event");
  // Never uses the oracle's own account, which may be in rooms that the caller cannot read.
  if (caller === undefined) return failure(NO_ACCOUNT);
  return readFileEvent({ roomId, eventId }, caller, matrixPorts(options, options.allowedHosts), signal);
}

async function readAddress(address: string, options: DownloadOptions, signal: AbortSignal): Promise<Bytes> {
  const source = parseFileSource(address);
  if (!source.ok) return source;
  const opened =
    source.value.kind === "link"
      ? await openLink(source.value.url, options, signal)
      : await openWithAccount(source.value, options, signal);
  return opened.ok ? readBody(opened.value.body, options.budget, options.limit) : opened;
}

async function openLink(url: URL, options: DownloadOptions, signal: AbortSignal): Promise<Result<Response, string>> {
  const answered = await matrixPorts(options, options.allowedHosts).get(url, { signal });
  if (!answered.ok || answered.value.ok) return answered;
  await answered.value.body?.cancel();
  return failure(`its server answered with status ${answered.value.status}`);
}

async function openWithAccount(
  media: Parameters<typeof openMedia>[0],
  options: DownloadOptions,
  signal: AbortSignal,
): Promise<Result<Response, string>> {
  const { caller, bot, allowedHosts } = options;
  if (caller !== undefined) return openMedia(media, caller, matrixPorts(options, allowedHosts), signal);
  if (bot === undefined) return failure(NO_ACCOUNT);
  // The operator has named this host, so it may be a private one.
  return openMedia(media, bot, matrixPorts(options, [...allowedHosts, bot.homeserver.host]), signal);
}

function matrixPorts(options: DownloadOptions, allowedHosts: readonly string[]): MatrixPorts {
  const send = options.fetch ?? ((url, init) => fetch(url, init));
  return {
    pause: options.pause,
    async get(url, { token, signal }) {
      let isFirst = true;
      const answered = await guardedFetch(url, {
        allowedHosts,
        signal,
        ...(token === undefined ? {} : { headers: { Authorization: `Bearer ${token}` } }),
        fetch(address, init) {
          const headers = new Headers(init.headers);
          // Even for a redirect on the same host, which may serve several owners.
          if (!isFirst) headers.delete("Authorization");
          isFirst = false;
          return send(address, { ...init, headers });
        },
      });
      if (answered.ok) return success(answered.value.response);
      const { reason, message } = answered.error;
      return failure(reason === "aborted" ? TOO_SLOW : message.charAt(0).toLowerCase() + message.slice(1));
    },
  };
}

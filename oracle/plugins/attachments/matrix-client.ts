/**
 * Requests of a user or the oracle to a Matrix homeserver: media with the token, or without it from the older path, and events. A
 * token is sent only to its own homeserver, never to a redirect.
 */
import * as z from "zod";
import { readStoredJson } from "../../../platform/json.ts";
import { failure, success, type Result } from "../../../platform/result.ts";
import type { FileSource } from "./file-source.ts";
import type { EncryptedFile } from "./encrypted-file.ts";
import { createMessageBudget, readBody } from "./download.ts";
import { EVENT_BYTES } from "./limits.ts";

export interface Account {
  /** The base of its client API. */
  readonly homeserver: URL;
  readonly token: string;
}

export interface GetOptions {
  readonly token?: string;
  readonly signal: AbortSignal;
}

export interface MatrixPorts {
  /** Follows redirects without the token. The error is a reason for the user. */
  readonly get: (url: URL, options: GetOptions) => Promise<Result<Response, string>>;
  /** Rejects as soon as the signal fires. */
  readonly pause: (milliseconds: number, signal: AbortSignal) => Promise<void>;
}

/** First pause while a file is still being uploaded, milliseconds; it doubles up to the longest. */
const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 8_000;
/** Maximum size of an error's body, bytes. */
const ERROR_BYTES = 16 * 1024;
/** The internal error for an oversized event or error, which is shown in other words. */
const TOO_LARGE = "it is too large";

type Media = Extract<FileSource, { kind: "matrix" }>;

/** A successful response whose body is the file. */
export async function openMedia(
  { server, mediaId }: Media,
  { homeserver, token }: Account,
  { get, pause }: MatrixPorts,
  signal: AbortSignal,
): Promise<Result<Response, string>> {
  const place = `${encodeURIComponent(server)}/${mediaId}`;
  const path = `/_matrix/client/v1/media/download/${place}`;
  for (let wait = FIRST_PAUSE_MS; ; wait = Math.min(wait * 2, LONGEST_PAUSE_MS)) {
    const answered = await get(under(homeserver, path), { token, signal });
    if (!answered.ok || answered.value.ok) return answered;
    const { status } = answered.value;
    const code = await errorCodeOf(answered.value);
    if (status === 504 && code === "M_NOT_YET_UPLOADED") {
      await pause(wait, signal);
      continue;
    }
    if (status !== 404 && code !== "M_UNRECOGNIZED") return failure(refusalOf(status, code));
    return await openOldMedia(under(homeserver, `/_matrix/media/v3/download/${place}`), get, signal);
  }
}

/** The public path on homeservers without authenticated media. */
async function openOldMedia(url: URL, get: MatrixPorts["get"], signal: AbortSignal): Promise<Result<Response, string>> {
  const answered = await get(url, { signal });
  if (!answered.ok || answered.value.ok) return answered;
  return failure(refusalOf(answered.value.status, await errorCodeOf(answered.value)));
}

function refusalOf(status: number, code: string | undefined): string {
  if (status === 413 || code === "M_TOO_LARGE") return "it is larger than its media server allows";
  if (status === 429) return "its media server asks to try again later";
  if (status === 401 || status === 403) return "its media server does not permit it";
  if (status === 404) return "its media server does not have it";
  return `its media server answered with status ${status}`;
}

async function errorCodeOf(response: Response): Promise<string | undefined> {
  const body = await readBody(response.body, createMessageBudget(ERROR_BYTES), {
    bytes: ERROR_BYTES,
    reason: TOO_LARGE,
  });
  if (!body.ok) return undefined;
  return readStoredJson(z.object({ errcode: z.string() }), new TextDecoder().decode(body.value))?.errcode;
}

const encryptedFile = z.object({
  url: z.string(),
  key: z.object({ k: z.string(), alg: z.string().optional(), kty: z.string().optional() }),
  iv: z.string(),
  hashes: z.object({ sha256: z.string() }),
  v: z.string(),
});
const event = z.object({
  type: z.string(),
  content: z.object({ url: z.string().optional(), file: encryptedFile.optional() }),
});

/** What an event says about its file: its address, or how to decrypt it. */
export async function readFileEvent(
  { roomId, eventId }: { readonly roomId: string; readonly eventId: string },
  { homeserver, token }: Account,
  { get }: MatrixPorts,
  signal: AbortSignal,
): Promise<Result<string | EncryptedFile, string>> {
  const path = `/_matrix/client/v3/rooms/${encodeURIComponent(roomId)}/event/${encodeURIComponent(eventId)}`;
  const answered = await get(under(homeserver, path), { token, signal });
  if (!answered.ok) return answered;
  if (!answered.value.ok) {
    await answered.value.body?.cancel();
    return failure(`its event could not be read: the homeserver answered with status ${answered.value.status}`);
  }
  const body = await readBody(answered.value.body, createMessageBudget(EVENT_BYTES), {
    bytes: EVENT_BYTES,
    reason: TOO_LARGE,
  });
  const found = body.ok ? readStoredJson(event, new TextDecoder().decode(body.value)) : undefined;
  if (found?.type === "m.room.encrypted")
    return failure("its message is encrypted, and the oracle has no keys of the room");
  const file = found?.content.file ?? found?.content.url;
  return file === undefined ? failure("its event contains no file") : success(file);
}

/** A homeserver's base may have a path. */
function under(homeserver: URL, path: string): URL {
  return new URL(homeserver.pathname.replace(/\/+$/, "") + path, homeserver);
}

/**
 * A mock Matrix homeserver for files: authenticated media that may redirect to a second host, the older path without a token,
 * single events; and on the second host plain files, some of which misbehave. Node only.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Attachment } from "../../../protocol/requests.ts";
import { encryptForMatrix, makePdf, redPixel, type EncryptedFile } from "./media-files.ts";
import type { Peer } from "./peer.ts";

export interface MediaRequest {
  readonly host: "homeserver" | "cdn";
  readonly path: string;
  readonly authorization: string | undefined;
}

export interface StoredMedia {
  readonly bytes?: Uint8Array;
  /** The v1 path redirects here: to the second host if it is `cdn`. */
  readonly redirect?: string;
  /** Only the older path has it. */
  readonly old?: boolean;
  /** How often the v1 path first reports that the file is still being uploaded. */
  readonly notYet?: number;
  /** A refusal. */
  readonly status?: number;
  readonly errcode?: string;
  /** Bytes in chunks, without a length; more than `bytes` could hold. */
  readonly undeclared?: number;
  /** The response begins and never ends. */
  readonly stalls?: boolean;
}

export interface MediaServer extends Peer {
  /** `x-matrix-access-token` of its user. */
  readonly token: string;
  /** The token of the oracle's own account. */
  readonly botToken: string;
  readonly cdnUrl: string;
  readonly requests: readonly MediaRequest[];
  /** Stores a file; returns its mxc address. */
  put(mediaId: string, media: StoredMedia): string;
  /** Stores a room's event. */
  putEvent(roomId: string, eventId: string, event: object): void;
  /** The attachments that a client sends with a message. */
  readonly attachments: { readonly image: Attachment; readonly encryptedImage: Attachment; readonly pdf: Attachment };
}

export interface MediaServerOptions {
  /** 0 for any free port; the second host uses the next free one. */
  readonly port?: number;
}

const SERVER_NAME = "media.example";

export async function startMediaServer({ port = 0 }: MediaServerOptions = {}): Promise<MediaServer> {
  const token = "syt_user_of_the_media_server";
  const botToken = "syt_oracle_of_the_media_server";
  const stored = new Map<string, StoredMedia>();
  const events = new Map<string, object>();
  const uploads = new Map<string, number>();
  const requests: MediaRequest[] = [];

  const homeserver = await listen(port, (request, response) => {
    const path = record("homeserver", request);
    const isKnown = [`Bearer ${token}`, `Bearer ${botToken}`].includes(request.headers.authorization ?? "");
    const [, mediaId = ""] = /^\/_matrix\/client\/v1\/media\/download\/[^/]+\/([^/?]+)$/.exec(path) ?? [];
    const [, oldId = ""] = /^\/_matrix\/media\/v3\/download\/[^/]+\/([^/?]+)$/.exec(path) ?? [];
    const [, roomId = "", eventId = ""] = /^\/_matrix\/client\/v3\/rooms\/([^/]+)\/event\/([^/]+)$/.exec(path) ?? [];
    if (oldId !== "") return answerMedia(response, stored.get(oldId));
    if (!isKnown) return refuse(response, 401, "M_UNKNOWN_TOKEN");
    if (eventId !== "") {
      const event = events.get(`${decodeURIComponent(roomId)} ${decodeURIComponent(eventId)}`);
      return event === undefined ? refuse(response, 404, "M_NOT_FOUND") : json(response, 200, event);
    }
    const media = stored.get(mediaId);
    if (media?.old === true) return refuse(response, 404, "M_UNRECOGNIZED");
    const tried = uploads.get(mediaId) ?? 0;
    uploads.set(mediaId, tried + 1);
    if (tried < (media?.notYet ?? 0)) return refuse(response, 504, "M_NOT_YET_UPLOADED");
    if (media?.redirect !== undefined) {
      const location = media.redirect === "cdn" ? `${cdnUrl}/files/${mediaId}` : media.redirect;
      return void response.writeHead(307, { Location: location }).end();
    }
    return answerMedia(response, media);
  });

  const cdn = await listen(0, (request, response) => {
    const path = record("cdn", request);
    // Like a signed address: two kinds of authentication at once are refused.
    if (request.headers.authorization !== undefined) return refuse(response, 400, "InvalidArgument");
    return answerMedia(response, stored.get(path.replace("/files/", "")));
  });
  // Another name of this machine, so that a redirect leads to another host.
  const cdnUrl = `http://localhost:${portOf(cdn)}`;
  const url = `http://127.0.0.1:${portOf(homeserver)}`;

  function record(host: MediaRequest["host"], request: IncomingMessage): string {
    const path = request.url ?? "/";
    requests.push({ host, path, authorization: request.headers.authorization });
    return path;
  }

  function put(mediaId: string, media: StoredMedia): string {
    stored.set(mediaId, media);
    return `mxc://${SERVER_NAME}/${mediaId}`;
  }

  const { ciphertext, file } = encryptForMatrix(redPixel, `mxc://${SERVER_NAME}/encryptedImage`);
  const image = {
    mxcUri: put("image", { bytes: redPixel, redirect: "cdn" }),
    filename: "red.png",
    mimetype: "image/png",
  };
  const encryptedImage: Attachment & { readonly file: EncryptedFile } = {
    mxcUri: put("encryptedImage", { bytes: ciphertext }),
    filename: "secret.png",
    mimetype: "image/png",
    file,
  };
  const report = await makePdf(["The harvest was 42 tonnes.", "Next year 50 tonnes are expected."]);
  const pdf = { mxcUri: put("report", { bytes: report }), filename: "report.pdf", mimetype: "application/pdf" };

  return {
    name: "media",
    url,
    variables: {
      MATRIX_BASE_URL: url,
      MATRIX_ACCESS_TOKEN: botToken,
      ATTACHMENT_ALLOWED_HOSTS: `${new URL(url).host},${new URL(cdnUrl).host}`,
    },
    token,
    botToken,
    cdnUrl,
    requests,
    put,
    putEvent: (roomId, eventId, event) => void events.set(`${roomId} ${eventId}`, event),
    attachments: { image, encryptedImage, pdf },
    async stop() {
      await Promise.all([homeserver, cdn].map(close));
    },
  };
}

function answerMedia(response: ServerResponse, media: StoredMedia | undefined): void {
  if (media === undefined) return refuse(response, 404, "M_NOT_FOUND");
  const { bytes = new Uint8Array(), status, errcode = "M_UNKNOWN", undeclared, stalls = false } = media;
  if (status !== undefined) return refuse(response, status, errcode);
  if (undeclared !== undefined) return pour(response, undeclared);
  if (stalls) return void response.writeHead(200, { "Content-Length": 1000 }).write("begun");
  response.writeHead(200, { "Content-Type": "application/octet-stream", "Content-Length": bytes.byteLength });
  response.end(bytes);
}

/** In chunks of 64 KiB, as fast as they are read. */
function pour(response: ServerResponse, size: number): void {
  const chunk = Buffer.alloc(64 * 1024, "a");
  let left = size;
  const go = (): void => {
    while (left > 0 && !response.destroyed) {
      const part = chunk.subarray(0, Math.min(left, chunk.length));
      left -= part.length;
      if (!response.write(part)) return void response.once("drain", go);
    }
    response.end();
  };
  response.writeHead(200);
  go();
}

function refuse(response: ServerResponse, status: number, errcode: string): void {
  json(response, status, { errcode, error: errcode });
}

function json(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { "Content-Type": "application/json" }).end(JSON.stringify(body));
}

async function listen(
  port: number,
  serve: (request: IncomingMessage, response: ServerResponse) => void,
): Promise<Server> {
  const server = createServer(serve);
  await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
  return server;
}

function portOf(server: Server): number {
  return (server.address() as AddressInfo).port;
}

function close(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}

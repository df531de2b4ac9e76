/**
 * Checks a node's gRPC-web answer before anyone reads it: only what is whole and of status 0 passes. The status is read here and
 * not by Connect, which fails on a bad escape, knows no code beyond 16 and forgets how the URL of a detail was written.
 */
import { base64Decode, BinaryReader } from "@bufbuild/protobuf/wire";
import { abandon, readBytes } from "../../../platform/http/body-bytes.ts";
import type { FaultDetail } from "../../gateway-fault.ts";
import { HEIGHT_HEADER, heightOf } from "../call-headers.ts";
import { noAnswer, NodeError, nodeSaid, refusalOf, tooLarge, unreadBody } from "../node-failures.ts";
import { readFrames, streamFrames, writeBody, writeMessage, type Frame } from "./frames.ts";

const CONTENT_TYPE = /^application\/grpc-web(?:\+proto)?\s*(?:;|$)/i;

type Trailers = Extract<Frame, { kind: "trailers" }>["trailers"];

/** The one message of a unary answer, still as bytes. */
interface JudgedAnswer {
  readonly message: Uint8Array;
  readonly height?: bigint;
}

export async function judgeAnswer(response: Response, limit: number): Promise<JudgedAnswer> {
  judgeHead(response);
  const body = await readBytes(response, limit);
  if (!body.ok) throw new NodeError(unreadBody(body.error));
  const frames = readFrames(body.value);
  if (frames === undefined) throw new NodeError(noAnswer("its frames are not those of one answer"));
  const last = frames.at(-1);
  const trailers = last?.kind === "trailers" ? last.trailers : undefined;
  const status = statusOf(response.headers, trailers);
  if (status === undefined || (trailers === undefined && status.code === 0))
    throw new NodeError(noAnswer("it has no status"));
  if (status.code !== 0) throw new NodeError(failureOf(status, response.headers, trailers));
  const [message, ...more] = frames.flatMap((frame) => (frame.kind === "message" ? [frame.data] : []));
  if (message === undefined || more.length > 0) throw new NodeError(noAnswer("it has not just one message"));
  const height = heightIn(response.headers, trailers);
  return { message, ...(height !== undefined && { height }) };
}

/** A streamed answer: messages go on as they come, each at most `limit` bytes; a failure ends them. */
export function judgeStream(response: Response, limit: number): Response {
  judgeHead(response);
  const { headers, body } = response;
  const frames = streamFrames(body as ReadableStream<Uint8Array> | null, limit);
  const stream = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const frame = (await frames.next()).value ?? undefined;
        if (frame === "too-large") throw new NodeError(tooLarge);
        if (frame === "broken") throw new NodeError(noAnswer("it broke off"));
        if (frame?.kind === "message") return controller.enqueue(writeMessage(frame.data));
        const status = statusOf(headers, frame?.trailers);
        if (status === undefined || (frame === undefined && status.code === 0))
          throw new NodeError(noAnswer("it has no status"));
        if (status.code !== 0) throw new NodeError(failureOf(status, headers, frame?.trailers));
        controller.enqueue(writeBody([]));
        controller.close();
        await frames.return();
      },
      async cancel() {
        await frames.return();
      },
    },
    { highWaterMark: 0 },
  );
  return handedOn(stream, headers);
}

function judgeHead({ status, headers, body }: Response): void {
  if (status === 200 && CONTENT_TYPE.test(headers.get("content-type") ?? "")) return;
  abandon(body);
  throw new NodeError(status === 200 ? noAnswer("it is not gRPC-web") : refusalOf(status));
}

/** Trailers tell the status; the headers do where there are none, or empty ones, as some servers add them. */
function statusOf(headers: Headers, trailers: Trailers | undefined): GrpcStatus | undefined {
  return readStatus((name) => trailers?.get(name)) ?? readStatus((name) => headers.get(name));
}

function failureOf(status: GrpcStatus, headers: Headers, trailers: Trailers | undefined) {
  const height = heightIn(headers, trailers);
  return nodeSaid({ ...status, ...(height !== undefined && { height }) });
}

function heightIn(headers: Headers, trailers: Trailers | undefined): bigint | undefined {
  return heightOf(headers.get(HEIGHT_HEADER)) ?? heightOf(trailers?.get(HEIGHT_HEADER));
}

/** With no header that lies about the body, such as the packing that fetch has undone, and no status told twice. */
function handedOn(body: BodyInit, headers: Headers): Response {
  const height = heightIn(headers, undefined);
  return new Response(body, {
    headers: {
      "Content-Type": "application/grpc-web+proto",
      ...(height !== undefined && { [HEIGHT_HEADER]: String(height) }),
    },
  });
}

interface GrpcStatus {
  readonly code: number;
  readonly message: string;
  readonly details: readonly FaultDetail[];
}

/** `undefined` when there is no status, or none that is a number. */
export function readStatus(valueOf: (name: string) => string | null | undefined): GrpcStatus | undefined {
  // A name that was sent twice comes as `5, 5`.
  const [, digits] = /^\s*(\d{1,9})\s*(?:,|$)/.exec(valueOf("grpc-status") ?? "") ?? [];
  if (digits === undefined) return undefined;
  return {
    code: Number(digits),
    message: decodeMessage(valueOf("grpc-message") ?? ""),
    details: readDetails(valueOf("grpc-status-details-bin") ?? ""),
  };
}

/** Percent-encoded UTF-8 by the gRPC specification; an escape that cannot be read stays as it is. */
export function decodeMessage(text: string): string {
  return fromBytes(text).replaceAll(/(?:%[\da-f]{2})+/gi, (escapes) => {
    try {
      return decodeURIComponent(escapes);
    } catch {
      return escapes;
    }
  });
}

/** Some nodes send UTF-8 as it is, which headers hand out byte by byte. */
function fromBytes(text: string): string {
  const codes = Array.from(text, (character) => character.charCodeAt(0));
  if (codes.every((code) => code < 0x80) || codes.some((code) => code > 0xff)) return text;
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(Uint8Array.from(codes));
  } catch {
    return text;
  }
}

/** Field numbers of google.rpc.Status and google.protobuf.Any. */
const DETAILS = 3;
const TYPE_URL = 1;
const VALUE = 2;

/** `google.rpc.Status` in base64; details that cannot be read are left out, since the status itself is known. */
function readDetails(base64: string): readonly FaultDetail[] {
  if (base64 === "") return [];
  try {
    const details: FaultDetail[] = [];
    const reader = new BinaryReader(base64Decode(base64));
    while (reader.pos < reader.len) {
      const [field, wireType] = reader.tag();
      if (field === DETAILS) details.push(readAny(reader.bytes()));
      else reader.skip(wireType, field);
    }
    return details;
  } catch {
    return [];
  }
}

function readAny(bytes: Uint8Array): FaultDetail {
  const reader = new BinaryReader(bytes);
  let typeUrl = "";
  let value: Uint8Array = new Uint8Array();
  while (reader.pos < reader.len) {
    const [field, wireType] = reader.tag();
    if (field === TYPE_URL) typeUrl = reader.string();
    else if (field === VALUE) value = reader.bytes();
    else reader.skip(wireType, field);
  }
  return { kind: "any", typeUrl, value };
}

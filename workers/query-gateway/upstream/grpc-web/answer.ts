/**
 * Checks a node's gRPC-web response before anyone reads it: only a complete one with status 0 passes. The status is
 * read here and not by Connect, which fails on a bad escape, knows no code beyond 16 and drops the spelling of a
 * detail's URL.
 */
import { base64Decode, BinaryReader } from "@bufbuild/protobuf/wire";
import { abandon, readBytes } from "../../../../platform/http/body.ts";
import { answerTooLarge, badAnswer, refusedWith, unreadBody } from "../node-failures.ts";
import { HEIGHT_HEADER, reportedHeight, type NodeFailure, type NodeStatus, type StatusDetail } from "../upstream.ts";
import { readFrames, streamFrames, writeBody, writeMessage, type Frame } from "./frames.ts";

const CONTENT_TYPE = /^application\/grpc-web(?:\+proto)?\s*(?:;|$)/i;

type Trailers = Extract<Frame, { kind: "trailers" }>["trailers"];

/**
 * Ends a call early. An error, because Connect's transport wraps whatever is thrown inside it and keeps it as the
 * cause.
 */
export class CallEnded extends Error {
  readonly outcome: NodeStatus | NodeFailure;
  constructor(outcome: NodeStatus | NodeFailure) {
    super(outcome.message);
    this.name = "CallEnded";
    this.outcome = outcome;
  }
}

/** The one message of a unary response, still as bytes. @throws CallEnded for anything else. */
export async function readAnswer(
  response: Response,
  limit: number,
): Promise<{ readonly message: Uint8Array; readonly height?: bigint }> {
  checkHead(response);
  const body = await readBytes(response, limit);
  if (!body.ok) throw new CallEnded(unreadBody(body.error));
  const frames = readFrames(body.value);
  if (frames === undefined) throw new CallEnded(badAnswer("its frames do not form one answer"));
  const last = frames.at(-1);
  const trailers = last?.kind === "trailers" ? last.trailers : undefined;
  checkStatus(response.headers, trailers);
  const [message, ...more] = frames.flatMap((frame) => (frame.kind === "message" ? [frame.data] : []));
  if (message === undefined || more.length > 0) throw new CallEnded(badAnswer("it does not have exactly one message"));
  const height = heightIn(response.headers, trailers);
  return { message, ...(height !== undefined && { height }) };
}

/**
 * A streamed response: messages pass as they arrive, each at most `limit` bytes; CallEnded is thrown inside the stream.
 */
export function checkedStream(response: Response, limit: number): Response {
  checkHead(response);
  const { headers, body } = response;
  const frames = streamFrames(body as ReadableStream<Uint8Array> | null, limit);
  const stream = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const frame = (await frames.next()).value ?? undefined;
        if (frame === "too-large") throw new CallEnded(answerTooLarge);
        if (frame === "broken") throw new CallEnded(badAnswer("it broke off"));
        if (frame?.kind === "message") return controller.enqueue(writeMessage(frame.data));
        checkStatus(headers, frame?.trailers);
        // A message after the trailers would be lost silently.
        if (frame !== undefined && (await frames.next()).done !== true)
          throw new CallEnded(badAnswer("it continues after its trailers"));
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
  // Without headers that no longer describe the body, such as the encoding that fetch has decoded.
  const height = heightIn(headers, undefined);
  return new Response(stream, {
    headers: {
      "Content-Type": "application/grpc-web+proto",
      ...(height !== undefined && { [HEIGHT_HEADER]: String(height) }),
    },
  });
}

function checkHead({ status, headers, body }: Response): void {
  if (status === 200 && CONTENT_TYPE.test(headers.get("content-type") ?? "")) return;
  abandon(body);
  throw new CallEnded(status === 200 ? badAnswer("it is not gRPC-web") : refusedWith(status));
}

/** The status is in the trailers, or in the headers if there are no trailers, or empty ones as some servers add. */
function checkStatus(headers: Headers, trailers: Trailers | undefined): void {
  const status = readStatus((name) => trailers?.get(name)) ?? readStatus((name) => headers.get(name));
  if (status === undefined || (trailers === undefined && status.code === 0))
    throw new CallEnded(badAnswer("it has no status"));
  if (status.code === 0) return;
  const height = heightIn(headers, trailers);
  throw new CallEnded({ ...status, ...(height !== undefined && { height }) });
}

function heightIn(headers: Headers, trailers: Trailers | undefined): bigint | undefined {
  return reportedHeight(headers.get(HEIGHT_HEADER)) ?? reportedHeight(trailers?.get(HEIGHT_HEADER));
}

/** `undefined` if there is no status, or no numeric one, or several that differ. */
export function readStatus(valueOf: (name: string) => string | null | undefined): NodeStatus | undefined {
  // A name that was sent twice arrives as `5, 5`.
  const [, digits] = /^\s*(\d{1,9})\s*(?:,\s*\1\s*)*$/.exec(valueOf("grpc-status") ?? "") ?? [];
  if (digits === undefined) return undefined;
  return {
    kind: "status",
    code: Number(digits),
    message: decodeMessage(valueOf("grpc-message") ?? ""),
    details: readDetails(valueOf("grpc-status-details-bin") ?? ""),
  };
}

/** Percent-encoded UTF-8 by the gRPC specification; an invalid escape is unchanged. */
export function decodeMessage(text: string): string {
  return fromBytes(text).replaceAll(/(?:%[\da-f]{2})+/gi, (escapes) => {
    try {
      return decodeURIComponent(escapes);
    } catch {
      return escapes;
    }
  });
}

/** Some nodes send plain UTF-8, which headers return byte by byte. */
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

/** `google.rpc.Status` in base64; unreadable details are omitted, because the status itself is known. */
function readDetails(base64: string): readonly StatusDetail[] {
  if (base64 === "") return [];
  try {
    const details: StatusDetail[] = [];
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

function readAny(bytes: Uint8Array): StatusDetail {
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

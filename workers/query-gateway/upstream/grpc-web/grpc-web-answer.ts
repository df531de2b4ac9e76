/**
 * What a node's gRPC-web answer means (contract D, section 7.1). Connect's transport takes web pages for cut messages, a
 * balancer's 404 for an unknown method and a bad escape for a bug, so every answer is judged before anyone reads it: what
 * goes on is whole and of status 0. All else is thrown as a NodeError.
 */
import { abandon, readBytes } from "../../../platform/http/body-bytes.ts";
import { HEIGHT_HEADER, heightOf } from "../call-headers.ts";
import { noAnswer, NodeError, nodeSaid, refusalOf, tooLarge, unreadBody } from "../node-error.ts";
import { readStatus, type GrpcStatus } from "./grpc-status.ts";
import { readFrames, streamFrames, writeBody, writeMessage, type Frame } from "./grpc-web-frames.ts";

const CONTENT_TYPE = /^application\/grpc-web(?:\+proto)?\s*(?:;|$)/i;

type Trailers = Extract<Frame, { kind: "trailers" }>["trailers"];

/** The one message of a unary answer, still as bytes. */
export interface JudgedAnswer {
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

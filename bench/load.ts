/**
 * The load generator: a fixed number of keep-alive connections, each with one request at a time, for a fixed duration. It connects
 * only to the loopback address. A response with an unexpected status ends everything, because a fast refusal is not speed.
 */
import { Agent, request as httpRequest, type IncomingMessage } from "node:http";
import { median } from "./statistics.ts";

export interface RequestSpec {
  readonly path: string;
  readonly method?: "GET" | "POST";
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
}

export interface Load {
  /** The server, such as `http://127.0.0.1:8787`. */
  readonly base: string;
  readonly connections: number;
  readonly seconds: number;
  /** The request that this connection (from 0) sends next. */
  readonly next: (connection: number) => RequestSpec;
}

export interface Answered {
  readonly requests: number;
  /** Until the last response. */
  readonly seconds: number;
}

/** Requests per second. */
export async function requestRate(load: Load): Promise<number> {
  const { requests, seconds } = await sendRequests(load);
  return requests / seconds;
}

export async function sendRequests({ base, connections, seconds, next }: Load): Promise<Answered> {
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  const begin = performance.now();
  const end = begin + seconds * 1000;
  let answered = 0;
  const worker = async (connection: number): Promise<void> => {
    while (performance.now() < end) {
      const answer = await open(base, next(connection), agent);
      await drain(answer);
      answered += 1;
    }
  };
  try {
    await Promise.all(Array.from({ length: connections }, (_, connection) => worker(connection)));
    return { requests: answered, seconds: (performance.now() - begin) / 1000 };
  } finally {
    agent.destroy();
  }
}

/** Sends a fixed list: every connection takes the next request of the list until it is empty. */
export async function sendAll(
  base: string,
  lists: readonly (readonly RequestSpec[])[],
  connections: number,
): Promise<Answered> {
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  const waiting = [...lists];
  const begin = performance.now();
  const worker = async (): Promise<void> => {
    for (let list = waiting.shift(); list !== undefined; list = waiting.shift()) {
      for (const spec of list) await drain(await open(base, spec, agent));
    }
  };
  try {
    await Promise.all(Array.from({ length: connections }, worker));
    const requests = lists.reduce((sum, list) => sum + list.length, 0);
    return { requests, seconds: (performance.now() - begin) / 1000 };
  } finally {
    agent.destroy();
  }
}

/** The median duration of sequential requests on one connection, milliseconds. */
export async function medianLatency({ base, seconds, next }: Omit<Load, "connections">): Promise<number> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const times: number[] = [];
  const end = performance.now() + seconds * 1000;
  try {
    for (let begin = performance.now(); begin < end; begin = performance.now()) {
      await drain(await open(base, next(0), agent));
      times.push(performance.now() - begin);
    }
    return median(times);
  } finally {
    agent.destroy();
  }
}

export interface StreamTimes {
  /** Milliseconds from the request to the end of the first frame. */
  readonly first: number;
  /** Milliseconds from the request to the end. */
  readonly whole: number;
  readonly frames: number;
  readonly bytes: number;
}

/** Reads one stream of server-sent events to its end. */
export async function timeStream(base: string, spec: RequestSpec, agent: Agent): Promise<StreamTimes> {
  const begin = performance.now();
  const answer = await open(base, spec, agent);
  let first: number | undefined;
  let frames = 0;
  let bytes = 0;
  let last = 0;
  for await (const chunk of answer as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    for (const byte of chunk) {
      if (byte === LINE_END && last === LINE_END) {
        frames += 1;
        first ??= performance.now() - begin;
        last = 0;
      } else last = byte;
    }
  }
  return { first: first ?? NaN, whole: performance.now() - begin, frames, bytes };
}

const LINE_END = 10;

/** One request and its whole response, outside any measurement. */
export async function fetchText(base: string, spec: RequestSpec): Promise<string> {
  const agent = new Agent({ keepAlive: false });
  return await drain(await open(base, spec, agent));
}

/** Resolves at the response's head; its body is not read yet. */
export function open(base: string, spec: RequestSpec, agent: Agent): Promise<IncomingMessage> {
  const { path, method = "GET", headers = {}, body } = spec;
  return new Promise((resolve, reject) => {
    const sent = httpRequest(base + path, { method, headers, agent }, (answer) => {
      const { statusCode = 0 } = answer;
      if (statusCode >= 200 && statusCode < 300) return resolve(answer);
      void drain(answer).then((text) => reject(new Error(`${method} ${path} answered ${statusCode}: ${text}`)), reject);
    });
    sent.on("error", reject);
    sent.end(body);
  });
}

export async function drain(answer: IncomingMessage): Promise<string> {
  let text = "";
  for await (const chunk of answer.setEncoding("utf8")) text += chunk as string;
  return text;
}

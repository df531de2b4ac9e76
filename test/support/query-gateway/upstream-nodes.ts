/**
 * Nodes outside the runtime under test, for tests inside workerd: started in Node before the project's test files, and passed to
 * them by vitest's `inject`. The first part of the path selects how a node misbehaves.
 */
import type { TestProject } from "vitest/node";
import { fixtureImage } from "./gateway-fixture.ts";
import { echo, startGrpcWebNode } from "./grpc-web-node.ts";
import {
  answer,
  endless,
  frame,
  GRPC_WEB,
  grpcWeb,
  lieAboutLength,
  nothingAtAll,
  silence,
  startMisbehavingNode,
  trailers,
  trailersOnly,
  type Behaviour,
} from "./misbehaving-node.ts";
import { schemaOf } from "./upstream-calls.ts";

export interface UpstreamNodes {
  /** The fixture's descriptor set, base64. */
  readonly image: string;
  readonly good: string;
  /** Dies during its hundredth call. */
  readonly mortal: string;
  /** Followed by `/` and the name of a behaviour. */
  readonly bad: string;
}

declare module "vitest" {
  interface ProvidedContext {
    upstreamNodes: UpstreamNodes;
  }
}

const CALLS_OF_THE_MORTAL = 100;

const status = { "grpc-status": "5", "grpc-message": "not%20found", "x-cosmos-block-height": "55" };
const message = frame(0, Uint8Array.of(0x0a, 1, 0x61));
const ok = trailers({ "grpc-status": "0" });
const whole = Uint8Array.from([...message, ...ok]);

/** The behaviours of `bad`, by name. */
const behaviours = {
  fine: grpcWeb(message, ok),
  "trailers-only": trailersOnly(status),
  "empty-trailers": trailersOnly(status, frame(0x80, "")),
  "bad-escape": trailersOnly({ "grpc-status": "5", "grpc-message": "%zz" }),
  "bad-escape-below": grpcWeb(trailers({ "grpc-status": "5", "grpc-message": "%zz" })),
  "bare-text": grpcWeb(trailers({ "grpc-status": "5", "grpc-message": "für" })),
  "code-99": trailersOnly({ "grpc-status": "99", "grpc-message": "odd" }),
  html: answer(200, { "Content-Type": "text/html" }, "<html>"),
  "html-404": answer(404, { "Content-Type": "text/html" }, "<html>"),
  moved: answer(301, { Location: "/fine/gwtest.v1.T/Get" }),
  "wrong-type": answer(200, { "Content-Type": "application/grpc" }, whole),
  cut: grpcWeb(message.subarray(0, 6)),
  "no-message": grpcWeb(ok),
  "two-messages": grpcWeb(message, message, ok),
  "too-long": lieAboutLength(whole.byteLength + 100, whole),
  "too-short": lieAboutLength(whole.byteLength - 4, whole),
  "503": answer(503, { "Content-Type": "text/html" }, "<html>"),
  nothing: nothingAtAll,
  silence,
  endless: endless({ "Content-Type": GRPC_WEB }, frame(0, "")),
} satisfies Readonly<Record<string, Behaviour>>;

export type BehaviourName = keyof typeof behaviours;

export default async function startUpstreamNodes({ provide }: TestProject): Promise<() => Promise<void>> {
  const image = fixtureImage();
  const schema = schemaOf(image);
  const good = await startGrpcWebNode(schema);
  const mortal = await startGrpcWebNode(schema, (...call) => {
    if (mortal.seen.length === CALLS_OF_THE_MORTAL) void mortal.close();
    return echo(...call);
  });
  const bad = await startMisbehavingNode((response, request) => {
    const name = request.url?.split("/")[1] ?? "";
    const behaviour: Behaviour = new Map<string, Behaviour>(Object.entries(behaviours)).get(name) ?? nothingAtAll;
    behaviour(response, request);
  });
  provide("upstreamNodes", {
    image: Buffer.from(image).toString("base64"),
    good: good.url,
    mortal: mortal.url,
    bad: bad.url,
  });
  return async () => {
    await Promise.all([good, mortal, bad].map((node) => node.close()));
  };
}

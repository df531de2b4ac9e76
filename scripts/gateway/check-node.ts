/**
 * Checks a chain node over gRPC-web, as the gateway would call it: whether it is reachable and speaks the protocol, its height, and
 * which services of the built-in descriptor set it runs. It calls one method per service with an empty request; any answer except
 * "unimplemented" means that the service exists.
 */
import { createFileRegistry, fromBinary, type DescService } from "@bufbuild/protobuf";
import { FileDescriptorSetSchema } from "@bufbuild/protobuf/wkt";
import { reasonOf } from "../server-address.ts";

export interface CheckPlatform {
  /** A FileDescriptorSet. */
  readonly image: Uint8Array;
  /** Per request. */
  readonly timeoutMs: number;
  readonly fetch: (url: string, init: RequestInit) => Promise<Response>;
  readonly print: (line: string) => void;
}

interface CheckedAnswer {
  /** The number of google.rpc.Code; absent if the response is not gRPC-web. */
  readonly code?: number;
  readonly height?: string;
  /** The response instead. */
  readonly instead?: string;
}

/** Concurrent requests. */
const AT_ONCE = 4;
/** No compression, no bytes: the empty message. */
const EMPTY_FRAME = new Uint8Array(5);
/** Flag of the frame with trailers. */
const TRAILERS = 0x80;
const UNIMPLEMENTED = 12;

/** The node's problem, if it has one. */
export async function checkNode(node: string, platform: CheckPlatform): Promise<string | undefined> {
  const { print } = platform;
  const services = servicesOf(platform.image);
  const first = await ask(node, "cosmos.base.tendermint.v1beta1.Service/GetLatestBlock", platform);
  if (first.instead !== undefined) return `${node}: ${first.instead}`;
  print(`reachable  ${node}`);
  print("gRPC-web   on");
  const answers: { readonly service: string; readonly answer: CheckedAnswer }[] = [];
  for (let start = 0; start < services.length; start += AT_ONCE) {
    const asked = services.slice(start, start + AT_ONCE).map(async ({ typeName, methods }) => {
      const method = methods[0]?.name ?? "";
      return { service: typeName, answer: await ask(node, `${typeName}/${method}`, platform) };
    });
    answers.push(...(await Promise.all(asked)));
  }
  const height = first.height ?? answers.find(({ answer }) => answer.height !== undefined)?.answer.height;
  print(`height     ${height ?? "not reported"}`);
  for (const { service, answer } of answers) print(`${presence(answer).padEnd(10)} ${service}`);
  return undefined;
}

function presence({ code, instead }: CheckedAnswer): string {
  if (instead !== undefined) return "no answer";
  return code === UNIMPLEMENTED ? "absent" : "served";
}

function servicesOf(image: Uint8Array): readonly DescService[] {
  const registry = createFileRegistry(fromBinary(FileDescriptorSetSchema, image));
  return [...registry.files].flatMap((file) => file.services).filter(({ methods }) => methods.length > 0);
}

async function ask(node: string, method: string, { fetch, timeoutMs }: CheckPlatform): Promise<CheckedAnswer> {
  const headers = { "Content-Type": "application/grpc-web+proto", "X-Grpc-Web": "1" };
  try {
    const signal = AbortSignal.timeout(timeoutMs);
    // Like the gateway, it follows no redirect, so a node behind one is unusable.
    const init = { method: "POST", headers, body: EMPTY_FRAME, signal, redirect: "manual" } as const;
    const response = await fetch(`${node}/${method}`, init);
    if (response.status >= 300 && response.status < 400) {
      await response.body?.cancel();
      return { instead: `redirects (HTTP ${response.status}), which the gateway does not follow` };
    }
    const type = response.headers.get("Content-Type") ?? "no type";
    const bytes = new Uint8Array(await response.arrayBuffer());
    if (!response.ok || !type.startsWith("application/grpc-web")) {
      return {
        instead: `answers HTTP ${response.status} with ${type}: gRPC-web is off (api, grpc and grpc-web must be on)`,
      };
    }
    const code = Number(response.headers.get("grpc-status") ?? trailerStatus(bytes) ?? Number.NaN);
    if (!Number.isInteger(code)) return { instead: "answers without a status" };
    const height = response.headers.get("x-cosmos-block-height")?.split(",")[0];
    return { code, ...(height !== undefined && { height }) };
  } catch (error) {
    const isLate = error instanceof DOMException && error.name === "TimeoutError";
    return { instead: isLate ? `does not answer within ${timeoutMs} ms` : `cannot be reached: ${reasonOf(error)}` };
  }
}

/** A frame has a flag, four bytes of length, and the content. */
function trailerStatus(bytes: Uint8Array): string | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  for (let at = 0; at + 5 <= bytes.length;) {
    const length = view.getUint32(at + 1);
    const content = bytes.subarray(at + 5, at + 5 + length);
    if (((bytes[at] ?? 0) & TRAILERS) !== 0)
      return /^grpc-status:\s*(\d+)/im.exec(new TextDecoder().decode(content))?.[1];
    at += 5 + length;
  }
  return undefined;
}

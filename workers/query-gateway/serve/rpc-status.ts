/** An error as a node prints it: `code`, `message`, `details`, in this order and never without. */
import { create, type Registry, type DescMethod } from "@bufbuild/protobuf";
import { httpStatusOf, type FaultDetail, type GatewayFault, GRPC } from "../gateway-fault.ts";
import type { MessageWriter } from "../json/message-writer.ts";
import { base64, quoted } from "../json/scalars.ts";

/** What prints an Any: the registry that knows its descriptor and the writer over the same registry. */
export interface DetailWriter {
  readonly registry: Registry;
  readonly writer: MessageWriter;
}

export function faultBody({ code, message, details = [] }: GatewayFault, writer?: DetailWriter): string {
  const printed = details.map((detail) => (detail.kind === "json" ? detail.text : printAny(detail, writer)));
  return `{"code":${code},"message":${quoted(message)},"details":[${printed.join(",")}]}`;
}

export function faultResponse(fault: GatewayFault, body: string): Response {
  const headers = new Headers({ "Content-Type": "application/json", "Cache-Control": "no-store" });
  if (fault.retryAfter !== undefined) headers.set("Retry-After", String(Math.ceil(fault.retryAfter)));
  if (fault.allow !== undefined) headers.set("Allow", fault.allow.join(", "));
  if (fault.challenge !== undefined) headers.set("WWW-Authenticate", fault.challenge);
  return new Response(body, { status: httpStatusOf(fault), headers });
}

function printAny({ typeUrl, value }: Extract<FaultDetail, { kind: "any" }>, writer?: DetailWriter): string {
  const type = writer?.registry.getMessage("google.protobuf.Any");
  if (writer !== undefined && type !== undefined) {
    const printed = writer.writer.write(type, create(type, { typeUrl, value }));
    if (printed.ok) return printed.value.text;
  }
  return `{"@type":${quoted(typeUrl)},"value":${base64(value)}}`;
}

/** Claims: collection, claim and dispute not found. */
const MISSING_CLAIM = /codespace claims code (?:1001|1100|1200)\b/;

export function missingIsNotFound(method: DescMethod, fault: GatewayFault): GatewayFault {
  if (fault.code !== GRPC.unknown) return fault;
  const isBond = method.parent.typeName.startsWith("ixo.bonds.") && fault.message.includes("does not exist");
  return isBond || MISSING_CLAIM.test(fault.message) ? { ...fault, status: 404 } : fault;
}

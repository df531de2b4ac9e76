/**
 * The status of a gRPC answer as headers or trailers tell it (contract D, section 7.1). Read here and not by Connect,
 * which fails on a bad escape, knows no code beyond 16 and forgets how the url of a detail was written.
 */
import { base64Decode, BinaryReader } from "@bufbuild/protobuf/wire";
import type { FaultDetail } from "../../gateway-fault.ts";

export interface GrpcStatus {
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

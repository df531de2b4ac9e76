/**
 * The adapter of a telecom gateway: it reads the gateway's request into the fields of the session endpoint and prints
 * the reply in the gateway's format. Adapters are pure; limits, addresses and validation are shared (PH-21).
 */
import * as z from "zod";
import type { Operation, OperationResponse } from "../../../../platform/openapi.ts";
import type { PhoneReply } from "../../../../platform/phone-reply.ts";
import { splitDialled } from "../request.ts";

export interface ProviderInput {
  /** The path after the provider's name, such as `/session/1/start`; possibly empty. */
  readonly path: string;
  /** Without the question mark. */
  readonly query: string;
  readonly body: string;
}

export type ProviderCall =
  | {
      /** `input` if the gateway does not mark a first call. */
      readonly event: "start" | "input";
      readonly sessionId: string;
      readonly serviceCode: string;
      readonly phoneNumber: string;
      readonly text: string;
      /** Whether `text` contains all inputs so far or only the latest. */
      readonly mode: "cumulative" | "latest";
      /** The gateway's own id of this request, which a retry repeats. */
      readonly requestId?: string;
      /** The gateway named no code with this input: the session's code is used. */
      readonly codeUnknown?: true;
    }
  /** The gateway reports the end of the session. `phoneNumber` is present if it names one. */
  | { readonly event: "end"; readonly sessionId: string; readonly phoneNumber?: string };

export interface ProviderResponse {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** The adapter's route in the OpenAPI document. */
export interface ProviderDocument extends Pick<Operation, "method" | "id" | "summary" | "params" | "query" | "body"> {
  /** The path after the provider's name. */
  readonly path?: string;
  readonly note?: string;
  readonly reply: OperationResponse;
}

export interface ProviderAdapter {
  readonly document: ProviderDocument;
  readonly methods: readonly ("GET" | "POST" | "PUT")[];
  /** Whether the gateway only checks that the service is available. */
  isStatus?(method: string, path: string): boolean;
  /** Undefined if a field is missing. `serviceCodes`: the served codes, for gateways that send none. */
  parse(input: ProviderInput, serviceCodes: readonly string[]): ProviderCall | undefined;
  /** `call`: undefined if it could not be read. `path`: the request's path. */
  print(reply: PhoneReply, call: ProviderCall | undefined, path: string): ProviderResponse;
  /** The response to an `end`. */
  printEnded(): ProviderResponse;
}

export const plainReply: OperationResponse = {
  description: "CON or END, a space, the text",
  content: { schema: z.string(), type: "text/plain" },
};

export const PLAIN_TEXT = { "Content-Type": "text/plain; charset=utf-8" };
export const JSON_TYPE = { "Content-Type": "application/json" };

/** `233200585542` as E.164: `+233200585542`. Validation rejects anything else. */
export function withPlus(phoneNumber: string): string {
  return /^\d/.test(phoneNumber) ? `+${phoneNumber}` : phoneNumber;
}

/** `713`, `711*2` and Infobip's `*123#1#` as codes: `*713#`, `*711*2#`, `*123#`. */
export function asServiceCode(code: string): string {
  return `*${code.replace(/^\*/, "").replace(/#.*$/s, "")}#`;
}

/** The text of a first call: the inputs dialled after the code, `2*1` for `*713*2*1#`; possibly empty. */
export function textOfDial(dialled: string, serviceCode: string): string {
  return splitDialled(asServiceCode(dialled), [serviceCode])?.suffix ?? "";
}

/** The code for a gateway that names none: the only served one. */
export function onlyCode(serviceCodes: readonly string[]): string | undefined {
  return serviceCodes.length === 1 ? serviceCodes[0] : undefined;
}

/**
 * What an adapter of a telecom gateway is (contract/ussd.md section 14): it reads that gateway's request into the fields
 * of ours and prints our reply as that gateway wants it. Pure, and no judge: limits, addresses and the validation of
 * request.ts are the same for all (decisions 4.10).
 */
import type { PhoneReply } from "../../platform/phone-reply.ts";

export interface ProviderInput {
  /** What follows the provider's name in the path, such as `/session/1/start`; empty when nothing does. */
  readonly path: string;
  /** Without the question mark. */
  readonly query: string;
  readonly body: string;
}

export type ProviderCall =
  | {
      /** `input` where the gateway does not tell a first call from a later one. */
      readonly event: "start" | "input";
      readonly sessionId: string;
      readonly serviceCode: string;
      readonly phoneNumber: string;
      readonly text: string;
      /** Whether `text` is all that was typed so far or only the latest of it. */
      readonly mode: "cumulative" | "latest";
      /** The gateway's own number or name of this request: a retry has the same one. */
      readonly requestId?: string;
      /** The gateway named no code with this input: it is that of the session. */
      readonly codeUnknown?: true;
    }
  /** The gateway says that the session is over; there is nobody left to answer to. `phoneNumber`: where it names it. */
  | { readonly event: "end"; readonly sessionId: string; readonly phoneNumber?: string };

export interface ProviderResponse {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export interface ProviderAdapter {
  readonly methods: readonly ("GET" | "POST" | "PUT")[];
  /** Whether the gateway only asks if the service is there. */
  isStatus?(method: string, path: string): boolean;
  /** Undefined when a field is missing. `serviceCodes`: those that are served, for gateways that do not send one. */
  parse(input: ProviderInput, serviceCodes: readonly string[]): ProviderCall | undefined;
  /** `call`: what the reply answers; undefined when it could not be read. */
  print(reply: PhoneReply, call: ProviderCall | undefined): ProviderResponse;
  /** The answer to an `end`. */
  printEnded(): ProviderResponse;
}

export const PLAIN_TEXT = { "Content-Type": "text/plain; charset=utf-8" };
export const JSON_TYPE = { "Content-Type": "application/json" };

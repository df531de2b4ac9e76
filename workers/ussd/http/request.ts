/**
 * One request of a telecom gateway, parsed and validated (PH-4 to PH-11). The session interprets `text`; `providers/`
 * reads other gateways' formats.
 */
import * as z from "zod";
import { readBody } from "../../../platform/http/body.ts";
import { isJsonObject, parseJson } from "../../../platform/json.ts";
import { failure, success } from "../../../platform/result.ts";
import { MAX_TEXT } from "../../../platform/phone-reply.ts";
import { SERVICE_CODE } from "../config.ts";
import type { ParsedRequest } from "../session-client.ts";

/** Bytes: four fields at their maximum length take a quarter of it. */
export const MAX_BODY_BYTES = 8_192;
/** Code points. */
const MAX_SESSION_ID = 100;
/** Characters: more than any network routes. */
const MAX_SERVICE_CODE = 50;

export const PHONE_NUMBER = /^\+[1-9]\d{6,14}$/;
const PHONE_NUMBER_WITHOUT_PLUS = /^[1-9]\d{6,14}$/;
const CONTROL_CHARACTER = /\p{Cc}/u;
const FORM_TYPE = "application/x-www-form-urlencoded";
const FIELDS = ["sessionId", "serviceCode", "phoneNumber", "text"] as const;

export interface RequestRules {
  /** The served codes; empty means all. */
  readonly serviceCodes: readonly string[];
  readonly phonePlusOptional: boolean;
}

/** The documented fields; `validateFields` checks them, because its failures have their own form. */
export const sessionRequest = z
  .object({
    sessionId: z.string().min(1).max(MAX_SESSION_ID).meta({ description: "Assigned by the telecom gateway." }),
    serviceCode: z
      .string()
      .max(MAX_SERVICE_CODE)
      .meta({ description: "The dialled code.", examples: ["*2233#"] }),
    phoneNumber: z.string().meta({ description: "E.164 with its plus.", examples: ["+260971230001"] }),
    text: z.string().max(MAX_TEXT).meta({ description: "All inputs so far, joined by `*`; empty on the first dial." }),
  })
  .meta({ id: "UssdSessionRequest" });

type Fields = Readonly<Partial<Record<(typeof FIELDS)[number], unknown>>>;

export async function parseRequest(
  request: Pick<Request, "body" | "headers">,
  rules: RequestRules,
): Promise<ParsedRequest> {
  const body = await readBody(request, MAX_BODY_BYTES);
  if (!body.ok) return failure({ field: "body" });
  const fields = parseFields(body.value, request.headers.get("Content-Type"));
  return fields === undefined ? failure({ field: "body" }) : validateFields(fields, rules);
}

/** A body that begins with a brace is JSON whatever its content type; any other must be a form. */
function parseFields(body: string, contentType: string | null): Fields | undefined {
  const first = body.trimStart().charAt(0);
  if (first === "{" || first === "[") {
    const json = parseJson(body);
    return json.ok && isJsonObject(json.value) ? json.value : undefined;
  }
  const type = (contentType ?? "").split(";")[0]?.trim().toLowerCase();
  if (first === "" || (type !== "" && type !== FORM_TYPE)) return undefined;
  const form = readFormFields(body, FIELDS);
  return form && { ...form, text: form.text ?? "", phoneNumber: form.phoneNumber?.replace(/^ (?=\d)/, "+") };
}

/** Shared by all gateways: adapters pass the fields that they have read. */
export function validateFields(fields: Fields, { serviceCodes, phonePlusOptional }: RequestRules): ParsedRequest {
  const phoneNumber = readPhoneNumber(fields.phoneNumber, phonePlusOptional);
  const dialled = readServiceCode(fields.serviceCode, serviceCodes);
  if (!isSessionId(fields.sessionId)) return failure({ field: "sessionId" });
  if (dialled === undefined) return failure({ field: "serviceCode" });
  if (phoneNumber === undefined) return failure({ field: "phoneNumber" });
  const binding = { sessionId: fields.sessionId, serviceCode: dialled.base, phoneNumber };
  const { text } = fields;
  if (typeof text !== "string" || !text.isWellFormed()) return failure({ field: "text", closes: binding });
  const request = { ...binding, dialledSuffix: dialled.suffix, text };
  return isAtMost(text, MAX_TEXT) ? success(request) : failure({ field: "text", long: request });
}

/** An id contains no control character, so it cannot contain the separator of `sessionName`. */
export function isSessionId(value: unknown): value is string {
  if (typeof value !== "string" || value.trim() === "" || CONTROL_CHARACTER.test(value)) return false;
  return value.isWellFormed() && isAtMost(value, MAX_SESSION_ID);
}

/** Counts code points: a character outside the basic plane is one. */
function isAtMost(text: string, limit: number): boolean {
  return text.length <= limit || Array.from(text).length <= limit;
}

function readPhoneNumber(value: unknown, plusOptional: boolean): string | undefined {
  if (typeof value !== "string") return undefined;
  if (PHONE_NUMBER.test(value)) return value;
  return plusOptional && PHONE_NUMBER_WITHOUT_PLUS.test(value) ? `+${value}` : undefined;
}

function readServiceCode(value: unknown, served: readonly string[]): { base: string; suffix: string } | undefined {
  if (typeof value !== "string" || value.length > MAX_SERVICE_CODE || !SERVICE_CODE.test(value)) return undefined;
  if (served.length === 0 || served.includes(value)) return { base: value, suffix: "" };
  return splitDialled(value, served);
}

/** The longest served code that is a prefix of `dialled`, and the rest. */
export function splitDialled(
  dialled: string,
  served: readonly string[],
): { readonly base: string; readonly suffix: string } | undefined {
  const [base] = served
    .filter((code) => dialled === code || dialled.startsWith(`${code.slice(0, -1)}*`))
    .toSorted((one, other) => other.length - one.length);
  return base === undefined ? undefined : { base, suffix: dialled.slice(base.length, -1) };
}

/** Undefined if a requested field is repeated or is not UTF-8; other fields are ignored. */
export function readFormFields<Name extends string>(
  text: string,
  names: readonly Name[],
): Partial<Record<Name, string>> | undefined {
  const fields: Partial<Record<Name, string>> = {};
  for (const pair of text.split("&")) {
    const separator = pair.indexOf("=");
    const key = decodeComponent(separator < 0 ? pair : pair.slice(0, separator));
    const name = names.find((each) => each === key);
    if (name === undefined) continue;
    const value = decodeComponent(separator < 0 ? "" : pair.slice(separator + 1));
    if (value === undefined || fields[name] !== undefined) return undefined;
    fields[name] = value;
  }
  return fields;
}

/** A `%` without two hexadecimal digits after it is literal, as in browsers. */
function decodeComponent(text: string): string | undefined {
  const encoded = new TextEncoder().encode(text.replaceAll("+", " "));
  const bytes: number[] = [];
  for (let index = 0; index < encoded.length; index += 1) {
    const byte = encoded[index] ?? 0;
    const digits = byte === 0x25 ? String.fromCharCode(...encoded.subarray(index + 1, index + 3)) : "";
    if (/^[0-9A-Fa-f]{2}$/.test(digits)) {
      bytes.push(Number.parseInt(digits, 16));
      index += 2;
    } else {
      bytes.push(byte);
    }
  }
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(Uint8Array.from(bytes));
  } catch {
    return undefined;
  }
}

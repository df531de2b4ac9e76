/**
 * One request of a telecom gateway: parsed and validated (contract/ussd.md section 2). Everything wrong gets the same
 * answer, so a refusal says no more than whether a live session is to be closed by it. What `text` means is the
 * session's matter; how other gateways say the same is `providers/`'s.
 */
import type { Binding, SessionRequest } from "../../durable-objects/ussd-session/rpc.ts";
import { readBody } from "../platform/http/body.ts";
import { isJsonObject } from "../platform/json.ts";
import { parseJson } from "../platform/parse-json.ts";
import { failure, success, type Result } from "../platform/result.ts";
import { readFormFields } from "./form-fields.ts";

/** Bytes: four fields at their longest take a quarter of it. */
export const MAX_BODY_BYTES = 8_192;
/** Code points (spec.md, section B). */
const MAX_SESSION_ID = 100;
const MAX_TEXT = 182;
/** Characters: more than any network routes. */
const MAX_SERVICE_CODE = 50;

export const SERVICE_CODE = /^\*\d+(?:\*\d+)*#$/;
const PHONE_NUMBER = /^\+[1-9]\d{6,14}$/;
const PHONE_NUMBER_WITHOUT_PLUS = /^[1-9]\d{6,14}$/;
const CONTROL_CHARACTER = /\p{Cc}/u;
const FORM_TYPE = "application/x-www-form-urlencoded";
const FIELDS = ["sessionId", "serviceCode", "phoneNumber", "text"] as const;

export interface RequestRules {
  /** Codes that are served; empty means all. */
  readonly serviceCodes: readonly string[];
  readonly phonePlusOptional: boolean;
}

/** For the session, which learns besides how its gateway sends. */
export type UssdRequest = Omit<SessionRequest, "mode" | "provider" | "requestId" | "raw" | "codeUnknown">;

export type RefusedPart = "body" | "sessionId" | "serviceCode" | "phoneNumber" | "text";

export interface RequestRefusal {
  /** The first thing wrong, for the log: its name, never its value. */
  readonly part: RefusedPart;
  /** Only `text` is bad: the session of this binding is to be closed, its draft kept. */
  readonly closes?: Binding;
}

export type RequestVerdict = Result<UssdRequest, RequestRefusal>;

type Fields = Readonly<Partial<Record<(typeof FIELDS)[number], unknown>>>;

export async function readUssdRequest(
  request: Pick<Request, "body" | "headers">,
  rules: RequestRules,
): Promise<RequestVerdict> {
  const body = await readBody(request, MAX_BODY_BYTES);
  if (!body.ok) return failure({ part: "body" });
  const fields = parseFields(body.value, request.headers.get("Content-Type"));
  return fields === undefined ? failure({ part: "body" }) : validateFields(fields, rules);
}

/** A body that begins with a brace is JSON whatever it is called (decisions 1.10); otherwise it has to be a form. */
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

/** The same rules for every gateway: an adapter hands over what it made of its own fields. */
export function validateFields(fields: Fields, { serviceCodes, phonePlusOptional }: RequestRules): RequestVerdict {
  const phoneNumber = readPhoneNumber(fields.phoneNumber, phonePlusOptional);
  const dialled = readServiceCode(fields.serviceCode, serviceCodes);
  if (!isSessionId(fields.sessionId)) return failure({ part: "sessionId" });
  if (dialled === undefined) return failure({ part: "serviceCode" });
  if (phoneNumber === undefined) return failure({ part: "phoneNumber" });
  const binding = { sessionId: fields.sessionId, serviceCode: dialled.base, phoneNumber };
  if (!isText(fields.text)) return failure({ part: "text", closes: binding });
  return success({ ...binding, dialledSuffix: dialled.suffix, text: fields.text });
}

/** Whether a gateway may name a session so. What names its object (`sessionName`) contains a separator that no id has. */
export function isSessionId(value: unknown): value is string {
  if (typeof value !== "string" || value.trim() === "" || CONTROL_CHARACTER.test(value)) return false;
  return value.isWellFormed() && isAtMost(value, MAX_SESSION_ID);
}

function isText(value: unknown): value is string {
  return typeof value === "string" && value.isWellFormed() && isAtMost(value, MAX_TEXT);
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

/** The longest served code that `dialled` extends, and what it is extended by. */
export function splitDialled(
  dialled: string,
  served: readonly string[],
): { readonly base: string; readonly suffix: string } | undefined {
  const [base] = served
    .filter((code) => dialled === code || dialled.startsWith(`${code.slice(0, -1)}*`))
    .toSorted((one, other) => other.length - one.length);
  return base === undefined ? undefined : { base, suffix: dialled.slice(base.length, -1) };
}

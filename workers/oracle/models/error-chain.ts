/**
 * Opens an error of the AI SDK from the outside in: retries hold the last error, calls hold a cause, errors inside a
 * stream are plain payloads. Only facts are taken (status, codes, headers, marks of a lost connection), never texts.
 */
import { AISDKError, InvalidResponseDataError, JSONParseError, TypeValidationError } from "@ai-sdk/provider";
import { isJsonObject } from "../../platform/json.ts";

/** Wrappers around wrappers end somewhere; a cycle of causes must too. */
const MAX_DEPTH = 10;

const CONNECTION_CODES: ReadonlySet<string> = new Set([
  "ECONNRESET",
  "ECONNREFUSED",
  "ENOTFOUND",
  "EAI_AGAIN",
  "EPIPE",
  "ETIMEDOUT",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "UND_ERR_SOCKET",
  "UND_ERR_CONNECT_TIMEOUT",
]);
/** How Node and workerd word a connection that broke; neither gives its error a code in every case. */
const CONNECTION_MESSAGES =
  /^(?:terminated|fetch failed|network connection lost|internet connection lost|other side closed)/i;

export interface ErrorTrace {
  /** The error itself, then what it wraps. */
  readonly errors: readonly unknown[];
  /** The HTTP status of a refusal, 300 to 599. */
  readonly status: number | undefined;
  /** Codes and types in lower case, as providers and runtimes give them. */
  readonly codes: readonly string[];
  readonly headers: Readonly<Record<string, string>>;
  /** The connection could not be made or did not last to the end of the answer. */
  readonly disconnected: boolean;
  /** The service answered with something that is not its protocol. */
  readonly garbled: boolean;
  /** Some link of the chain came from a model's provider rather than from our own code. */
  readonly fromProvider: boolean;
}

export function readErrorChain(error: unknown): ErrorTrace {
  const errors = unwrap(error);
  const records = errors.filter(isRecord).flatMap((link) => [link, ...payloads(link)]);
  const headers = records.map((link) => link["responseHeaders"]).find(isRecord) ?? {};
  return {
    errors,
    status: records.flatMap((link) => [link["statusCode"], link["status"], link["code"]]).find(isRefusal),
    codes: records
      .flatMap((link) => [link["code"], link["type"]])
      .filter(isText)
      .map((code) => code.toLowerCase()),
    headers: Object.fromEntries(Object.entries(headers).filter((entry): entry is [string, string] => isText(entry[1]))),
    disconnected: errors.some(isDisconnection),
    garbled: errors.some((link) => JSONParseError.isInstance(link) || TypeValidationError.isInstance(link)),
    fromProvider: errors.some((link) => AISDKError.isInstance(link) || !(link instanceof Error)),
  };
}

function unwrap(error: unknown): readonly unknown[] {
  const errors: unknown[] = [];
  for (let link = error; link !== undefined && link !== null && errors.length < MAX_DEPTH;) {
    errors.push(link);
    link = isRecord(link) ? (link["lastError"] ?? link["cause"]) : undefined;
  }
  return errors;
}

/** The provider's own error object, parsed by the SDK (`data`) or still inside it (`data.error`). */
function payloads(link: Readonly<Record<string, unknown>>): readonly Readonly<Record<string, unknown>>[] {
  const data = link["data"];
  const inner = isRecord(data) ? data["error"] : link["error"];
  return [data, inner].filter(isRecord);
}

function isDisconnection(link: unknown): boolean {
  if (InvalidResponseDataError.isInstance(link)) return true;
  if (!(link instanceof Error)) return false;
  if ("code" in link && typeof link.code === "string" && CONNECTION_CODES.has(link.code)) return true;
  return CONNECTION_MESSAGES.test(link.message);
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return isJsonObject(value);
}

function isText(value: unknown): value is string {
  return typeof value === "string";
}

function isRefusal(value: unknown): value is number {
  return typeof value === "number" && Number.isInteger(value) && value >= 300 && value <= 599;
}

/** A form that a server requests: whether it may be shown, and whether the user's answers match it. */
import * as z from "zod";
import { isJsonObject, type JsonObject, type JsonValue } from "../../../platform/json.ts";
import { failure, success, type Result } from "../../../platform/result.ts";

/** Maximum bytes of a form's schema: a form with a hundred fields has a few KiB. */
export const FORM_BYTES = 32 * 1024;
/** Words that suggest a secret, in any case, even as part of `api_key` or `cardNumber`. */
const SECRET_WORDS = [
  "password",
  "passwort",
  "passwd",
  "passphrase",
  "passcode",
  "secret",
  "token",
  "apikey",
  "key",
  "credential",
  "credentials",
  "pin",
  "otp",
  "cvv",
  "cvc",
  "ssn",
  "mnemonic",
  "seed",
];
/** Words that suggest a secret only in sequence. */
const SECRET_PAIRS = ["card number", "security code", "one time"];
/** Words that suggest a secret even in a sentence beside a field: "key" may refer to a song, and "pin" to a map. */
const PLAIN_SECRET_WORDS = SECRET_WORDS.filter((word) => !["key", "pin", "seed", "secret", "token"].includes(word));
const PLAIN_SECRET_PAIRS = [
  ...SECRET_PAIRS,
  "api key",
  "private key",
  "secret key",
  "access token",
  "seed phrase",
  "pin code",
];

export interface Form {
  /** The schema as it is shown. */
  readonly schema: JsonObject;
  /** The content for the server: declared fields with valid values. */
  read(content: JsonValue | undefined): Result<ElicitedContent, string>;
}

/** The values that the protocol supports. */
export type ElicitedContent = Record<string, string | number | boolean | string[]>;

/** `secret`: it asks for a secret. `unreadable`: no client could show it. `message`: the text above the form. */
export function formOf(schema: unknown, message: string): Result<Form, "secret" | "unreadable"> {
  if (!isJsonObject(schema) || schema["type"] !== "object" || !isJsonObject(schema["properties"]))
    return failure("unreadable");
  if (new TextEncoder().encode(JSON.stringify(schema)).byteLength > FORM_BYTES) return failure("unreadable");
  if (Object.entries(schema["properties"]).some(([name, field]) => asksForSecret(name, field)))
    return failure("secret");
  const above = [message, schema["title"], schema["description"]];
  if (Object.values(schema["properties"]).some(isTypedInto) && above.some(isPlainlySecret)) return failure("secret");
  const fields = Object.keys(schema["properties"]);
  const check = checkOf(schema);
  if (check === undefined) return failure("unreadable");
  return success({
    schema,
    read(content) {
      const declared = isJsonObject(content) ? content : {};
      const kept = Object.fromEntries(fields.flatMap((name) => (name in declared ? [[name, declared[name]]] : [])));
      const read = check.safeParse(kept);
      return read.success ? success(read.data) : failure(z.prettifyError(read.error));
    },
  });
}

const carried = z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.array(z.string())]));

function checkOf(schema: JsonObject): z.ZodType<ElicitedContent> | undefined {
  try {
    return z.fromJSONSchema(schema as Parameters<typeof z.fromJSONSchema>[0]).pipe(carried);
  } catch {
    return undefined;
  }
}

/** Checks its name, and the texts that the user would read beside it. */
function asksForSecret(name: string, field: JsonValue | undefined): boolean {
  const { title, description, format } = isJsonObject(field) ? field : {};
  return [name, title, description, format].some((text) => namesSecret(text, SECRET_WORDS, SECRET_PAIRS));
}

/** Whether the field accepts a typed secret, which a choice does not. */
function isTypedInto(field: JsonValue | undefined): boolean {
  if (!isJsonObject(field) || field["enum"] !== undefined || field["oneOf"] !== undefined) return false;
  return field["type"] !== "boolean" && field["type"] !== "array";
}

function isPlainlySecret(text: JsonValue | undefined): boolean {
  return namesSecret(text, PLAIN_SECRET_WORDS, PLAIN_SECRET_PAIRS);
}

function namesSecret(text: JsonValue | undefined, single: readonly string[], pairs: readonly string[]): boolean {
  if (typeof text !== "string") return false;
  const words = text
    .replaceAll(/([a-z\d])([A-Z])/g, "$1 $2")
    .toLowerCase()
    .split(/[^\p{L}\d]+/u);
  return (
    words.some((word) => single.includes(word) || single.includes(word.replace(/s$/, ""))) ||
    pairs.some((pair) => ` ${words.join(" ")} `.includes(` ${pair} `))
  );
}

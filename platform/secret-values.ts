/**
 * Masks values of secret variables in outgoing data: a plugin or a library may have put one into an error or a result.
 * A safety net against mistakes, not a barrier: docs/security.md lists which variables count, from which length, and in
 * which forms a value is found.
 */
import { hexOf } from "./digest.ts";

/**
 * Minimum characters, because shorter values occur in ordinary text. A secret that was cut off needs this length to be
 * found.
 */
export const LEAST_SECRET_LENGTH = 8;
/** Minimum for a text inside a JSON value, which also contains roles and scopes. */
export const LEAST_SECRET_LENGTH_IN_JSON = 16;

const SECRET_NAME =
  /(?:^|_)(?:SECRETS?|TOKEN|KEYS?|APIKEY|SEED|MNEMONIC|PASSWORD|PASSPHRASE|CREDENTIALS?)(?:_OLD|_\d+)?$/;
/** Contains secrets, although its name does not show it. */
const MCP_SERVERS = "MCP_SERVERS";
const PUBLIC_NAME = /(?:^|_)PUBLIC_KEYS?$/;

const finders = new WeakMap<object, TextFinder>();

/**
 * The value, a text or any JSON value, with `[NAME]` in place of every secret of the environment, including names of
 * members. A value without secrets is returned unchanged, and so are bytes.
 */
export function withoutSecrets<Value>(env: object, value: Value): Value {
  let finder = finders.get(env);
  if (finder === undefined) finders.set(env, (finder = finderOf(env)));
  return finder.isEmpty ? value : (walk(value, finder.replace) as Value);
}

function walk(value: unknown, clean: (text: string) => string): unknown {
  if (typeof value === "string") return clean(value);
  if (typeof value === "number") {
    const text = String(value);
    return text.length < LEAST_SECRET_LENGTH || clean(text) === text ? value : clean(text);
  }
  if (typeof value !== "object" || value === null || ArrayBuffer.isView(value)) return value;
  if (describesItself(value)) {
    const given = value.toJSON();
    const cleaned = walk(given, clean);
    return cleaned === given ? value : cleaned;
  }
  let isChanged = false;
  const walked = (member: unknown): unknown => {
    const cleaned = walk(member, clean);
    isChanged ||= cleaned !== member && member === member;
    return cleaned;
  };
  const copy: unknown = Array.isArray(value)
    ? value.map(walked)
    : Object.fromEntries(Object.entries(value).map(([name, member]) => [walked(name), walked(member)]));
  return isChanged ? copy : value;
}

/** Whether it has its own JSON form, like dates and addresses. */
function describesItself(value: object): value is { readonly toJSON: () => unknown } {
  return "toJSON" in value && typeof value.toJSON === "function";
}

function finderOf(env: object): TextFinder {
  const names = new Map<string, string>();
  for (const [name, value] of Object.entries(env)) {
    if (typeof value !== "string" || PUBLIC_NAME.test(name)) continue;
    const secrets = name === MCP_SERVERS ? secretsOfServers(value) : SECRET_NAME.test(name) ? secretsIn(value) : [];
    for (const secret of secrets) for (const form of formsOf(secret)) names.set(form, `[${name}]`);
  }
  return createTextFinder(names, LEAST_SECRET_LENGTH);
}

/**
 * From a list of servers, which are public: values of `headers`, with and without a scheme such as `Bearer`, and values
 * of a url's query.
 */
function secretsOfServers(value: string): readonly string[] {
  const values: string[] = [];
  try {
    JSON.parse(value, (name, member: unknown) => {
      if (name === "headers" && typeof member === "object" && member !== null)
        for (const header of Object.values(member).map(String))
          values.push(header, header.slice(header.indexOf(" ") + 1));
      if (name === "url" && typeof member === "string")
        values.push(...(URL.parse(member)?.searchParams.values() ?? []));
      return member;
    });
  } catch {
    // It is unknown which part of it is a key.
    values.push(value);
  }
  return values.filter((text) => text.length >= LEAST_SECRET_LENGTH);
}

/** The value, and for a JSON value also its texts, except DIDs, which are public. */
function secretsIn(value: string): readonly string[] {
  const inJson: string[] = [];
  try {
    JSON.parse(value, (_, member: unknown) => {
      if (typeof member === "string" && member.length >= LEAST_SECRET_LENGTH_IN_JSON) inJson.push(member);
      return member;
    });
  } catch {
    // Not JSON: the value is the secret.
  }
  return [value, ...inJson].filter((text) => text.length >= LEAST_SECRET_LENGTH && !text.startsWith("did:"));
}

function formsOf(secret: string): readonly string[] {
  const bytes = new TextEncoder().encode(secret);
  const hex = hexOf(bytes);
  const escaped = JSON.stringify(secret).slice(1, -1);
  const base64 = [0, 1, 2].flatMap((offset) => base64At(bytes, offset));
  return [
    secret,
    escaped,
    // JSON inside a text of JSON.
    JSON.stringify(escaped).slice(1, -1),
    encodeURIComponent(secret),
    new URLSearchParams({ "": secret }).toString().slice(1),
    ...base64,
    ...base64.map((text) => text.replaceAll("+", "-").replaceAll("/", "_")),
    hex,
    hex.toUpperCase(),
    // A secret that consists of hexadecimal digits.
    ...(/^[0-9a-f]+$/i.test(secret) ? [secret.toLowerCase(), secret.toUpperCase()] : []),
  ];
}

/**
 * The base64 digits that do not depend on neighbouring bytes, at an offset of that many bytes modulo 3. A secret at the
 * end also determines its last digit, with or without padding.
 */
function base64At(bytes: Uint8Array, offset: number): readonly string[] {
  const text = btoa("\0".repeat(offset) + String.fromCharCode(...bytes)).slice(Math.ceil((offset * 8) / 6));
  const decided = Math.floor(((offset + bytes.length) * 8) / 6) - Math.ceil((offset * 8) / 6);
  return [text, text.replace(/=+$/, ""), text.slice(0, decided)];
}

export interface TextFinder {
  /** Whether there is nothing to find. */
  readonly isEmpty: boolean;
  /** Replaces each secret that is found: the first one, and the longest of several at one place. */
  readonly replace: (text: string) => string;
}

/** Units that determine the jump. */
const BLOCK = 3;
const TABLE_SIZE = 8192;

/**
 * Finds many texts in one pass with the Wu-Manber algorithm: for each three units, a table says how far the search can
 * jump, so that most units are never read, however many texts there are. `texts` maps each text to its replacement; all
 * are at least `least` long. A text at the end of the input may be cut to that length.
 */
export function createTextFinder(texts: ReadonlyMap<string, string>, least: number): TextFinder {
  const jumps = new Uint8Array(TABLE_SIZE).fill(least - BLOCK + 1);
  const candidates = new Map<number, string[]>();
  for (const text of [...texts.keys()].toSorted((one, other) => other.length - one.length)) {
    for (let end = BLOCK; end <= least; end += 1) {
      const block = blockBefore(text, end);
      jumps[block] = Math.min(jumps[block] ?? 0, least - end);
    }
    const block = blockBefore(text, least);
    candidates.set(block, [...(candidates.get(block) ?? []), text]);
  }

  function replace(text: string): string {
    let replaced = "";
    let kept = 0;
    let end = least;
    while (end <= text.length) {
      const block = blockBefore(text, end);
      const jump = jumps[block] ?? 0;
      const found = jump > 0 ? undefined : textAt(text, end - least, candidates.get(block) ?? []);
      if (found === undefined) {
        end += Math.max(1, jump);
        continue;
      }
      replaced += text.slice(kept, end - least) + (texts.get(found) ?? "");
      kept = end - least + found.length;
      end = kept + least;
    }
    return kept === 0 ? text : replaced + text.slice(kept);
  }

  return { isEmpty: texts.size === 0, replace };
}

/** A complete match, otherwise a text whose prefix is the rest of the input. */
function textAt(text: string, start: number, wanted: readonly string[]): string | undefined {
  return (
    wanted.find((each) => text.startsWith(each, start)) ??
    wanted.find((each) => start + each.length > text.length && each.startsWith(text.slice(start)))
  );
}

function blockBefore(text: string, end: number): number {
  const [first, second, third] = [text.charCodeAt(end - 3), text.charCodeAt(end - 2), text.charCodeAt(end - 1)];
  return (first * 1024 + second * 32 + third) & (TABLE_SIZE - 1);
}

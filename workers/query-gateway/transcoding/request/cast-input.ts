/**
 * Values whose Go type prints itself, read from what it prints: the inverse of json/cast-values.ts. A chain's decimal is an
 * integer on the wire, a contract's message is JSON inside bytes.
 */
import type { FieldOptions } from "../../json/field-options.ts";
import { exactText, type ExactJson } from "./exact-json.ts";

type Cast = NonNullable<FieldOptions["cast"]>;

/** A LegacyDec has so many decimals, and is the value times 10 to this power on the wire. */
const DECIMALS = 18;
const DECIMAL = /^(-?)(\d+)(?:\.(\d+))?$/;
const INTEGER = /^-?\d+$/;
const HEX = /^(?:[0-9a-fA-F]{2})*$/;

/** What goes on the wire, be the field a string or bytes; `undefined` for what is no value of the kind. */
export function bytesOfCast(cast: Cast, json: ExactJson): Uint8Array | undefined {
  if (cast === "json") return new TextEncoder().encode(exactText(json));
  const text = typeof json === "number" || typeof json === "bigint" ? String(json) : json;
  if (typeof text !== "string") return undefined;
  if (cast === "hex") return hexBytes(text);
  const value = cast === "decimal" ? scaled(text) : INTEGER.test(text) ? text : undefined;
  return value === undefined ? undefined : new TextEncoder().encode(value);
}

/** `-0.5` is `-500000000000000000`. More decimals than the type has are refused, as the chain does. */
function scaled(text: string): string | undefined {
  const [, sign = "", whole, fraction = ""] = DECIMAL.exec(text) ?? [];
  if (whole === undefined || fraction.length > DECIMALS) return undefined;
  const digits = (whole + fraction.padEnd(DECIMALS, "0")).replace(/^0+(?=\d)/, "");
  return digits === "0" ? digits : sign + digits;
}

function hexBytes(text: string): Uint8Array | undefined {
  if (!HEX.test(text)) return undefined;
  return Uint8Array.from(text.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
}

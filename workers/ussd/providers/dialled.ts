/** How gateways write phone numbers and dialled codes, brought to the one form that request.ts accepts. */
import { splitDialled } from "../request.ts";

/** `233200585542` as E.164: `+233200585542`. Anything else stays, for the validation to refuse. */
export function withPlus(phoneNumber: string): string {
  return /^\d/.test(phoneNumber) ? `+${phoneNumber}` : phoneNumber;
}

/** `713`, `711*2` and Infobip's `*123#1#` as codes: `*713#`, `*711*2#`, `*123#`. */
export function asServiceCode(code: string): string {
  return `*${code.replace(/^\*/, "").replace(/#.*$/s, "")}#`;
}

/** The text of a first call: what was dialled after the code, `2*1` for `*713*2*1#`; empty when nothing was. */
export function textOfDial(dialled: string, serviceCode: string): string {
  return splitDialled(asServiceCode(dialled), [serviceCode])?.suffix ?? "";
}

/** The code of a gateway that names none: the only one that is served. */
export function onlyCode(serviceCodes: readonly string[]): string | undefined {
  return serviceCodes.length === 1 ? serviceCodes[0] : undefined;
}

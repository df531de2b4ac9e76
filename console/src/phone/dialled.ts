/** Parses a dialled code, with or without inputs after it. Sends nothing. */
import { withoutSecrets } from "./secret-input.ts";

/** A dialled code, with or without inputs after it, such as `*2233*2*1#`, parsed as a phone does. */
export interface Dialled {
  readonly serviceCode: string;
  /** The inputs after the code, joined by stars; usually empty. */
  readonly text: string;
}

const CODE = /^\*\d+(\*\d+)*#$/;
/** The inputs may contain more than digits. */
const DIALLED = /^\*\d+(\*[^#]*)?#$/;
const PHONE_NUMBER = /^\+[1-9]\d{6,14}$/;

/** Undefined if it is not a code: a phone reports that without a request. */
export function readDialled(dialled: string, serviceCode: string): Dialled | undefined {
  const typed = dialled.trim();
  if (typed === "" || typed === serviceCode) return { serviceCode, text: "" };
  if (!DIALLED.test(typed)) return undefined;
  const stem = `${serviceCode.slice(0, -1)}*`;
  if (typed.startsWith(stem)) return { serviceCode, text: typed.slice(stem.length, -1) };
  return CODE.test(typed) ? otherCode(typed) : undefined;
}

/**
 * A code that is not the phone's own ends before the first part that may be a PIN; that part counts as a typed input and is protected. A
 * code with such a part, `*384*12345#`, must be the phone's own.
 */
function otherCode(typed: string): Dialled {
  const [first = "", ...parts] = typed.slice(1, -1).split("*");
  const secret = parts.findIndex((part) => withoutSecrets(part, "", () => "") !== part);
  const end = secret < 0 ? parts.length : secret;
  return { serviceCode: `*${[first, ...parts.slice(0, end)].join("*")}#`, text: parts.slice(end).join("*") };
}

/** Validated as the service validates it (PH-6, PH-7). */
export function isServiceCode(text: string): boolean {
  return CODE.test(text) && text.length <= LONGEST_CODE;
}

/** Characters. */
const LONGEST_CODE = 50;

export function isPhoneNumber(text: string): boolean {
  return PHONE_NUMBER.test(text);
}

/** A number that has probably never called, in the range of the recorded flows. */
export function freshPhoneNumber(): string {
  const [random = 0] = crypto.getRandomValues(new Uint32Array(1));
  return `+26097${String(random % 10_000_000).padStart(7, "0")}`;
}

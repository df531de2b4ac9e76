/** A phone number as logs show it (contract/ussd.md section 7): `+260******567`. */

/** Characters, plus included, from which on the country's digits can be shown without giving the number away. */
const MASKABLE_DIGITS = 9;

/** First and last three digits; of a short number the last two only. */
export function maskPhone(phoneNumber: string): string {
  const digits = phoneNumber.replace(/^\+/, "");
  const [head, tail] = digits.length < MASKABLE_DIGITS ? [0, 2] : [3, 3];
  return `+${digits.slice(0, head)}${"*".repeat(Math.max(0, digits.length - head - tail))}${digits.slice(-tail)}`;
}

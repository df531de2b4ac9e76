/**
 * Customer ids (contract/ussd.md section 7): `C`, eight upper-case hexadecimal digits from the system's randomness, and
 * one that checks them (Luhn's sum modulo 16), so that a slip of one digit is never another customer's id.
 */

const RANDOM_BYTES = 4;
const HEX = 16;

export function createCustomerId(random: (bytes: number) => Uint8Array): string {
  const digits = [...random(RANDOM_BYTES)].flatMap((byte) => [byte >> 4, byte & 0xf]);
  return `C${[...digits, checkDigit(digits)].map((digit) => digit.toString(HEX).toUpperCase()).join("")}`;
}

/** Every second digit, from the last on, counts double, its own two digits added up. */
function checkDigit(digits: readonly number[]): number {
  const sum = digits.toReversed().reduce((total, digit, index) => {
    const weighted = index % 2 === 0 ? digit * 2 : digit;
    return total + Math.floor(weighted / HEX) + (weighted % HEX);
  }, 0);
  return (HEX - (sum % HEX)) % HEX;
}

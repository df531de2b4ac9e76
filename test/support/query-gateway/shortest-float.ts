/** float32 numbers by their bits, and the shortest decimal of each: a slow reference that computes with exact fractions. */
const view = new DataView(new ArrayBuffer(4));

export function fromBits(bits: number): number {
  view.setUint32(0, bits);
  return view.getFloat32(0);
}

/**
 * The decimal with the fewest digits in the interval of all reals that round to the number; the nearest one if there are several;
 * the one with an even last digit if two are equally near. All in units of 2^-151, in which every float32 and every midpoint is an
 * integer.
 */
export function shortestFloat(bits: number): number {
  const exponent = (bits >>> 23) & 0xff;
  const fraction = BigInt(bits & 0x7fffff);
  const mantissa = exponent === 0 ? fraction : fraction + 0x800000n;
  const step = 1n << BigInt(Math.max(exponent, 1) - 1 + 2);
  const value = mantissa * step;
  const isPower = fraction === 0n && exponent > 1;
  const low = value - (isPower ? step / 4n : step / 2n);
  const high = value + step / 2n;
  const isEven = mantissa % 2n === 0n;
  const isIn = (each: bigint, scale: bigint): boolean =>
    isEven ? each >= low * scale && each <= high * scale : each > low * scale && each < high * scale;
  const unit = 1n << 151n;
  for (let digits = 1; digits <= 9; digits += 1) {
    // 10^place is the unit of the last digit.
    const place = Math.floor(Math.log10(fromBits(bits))) - digits + 1;
    for (const power of [place, place - 1, place + 1].filter((each) => digitsAt(value, each) === digits)) {
      const scale = power < 0 ? 10n ** BigInt(-power) : 1n;
      const lastDigit = (power > 0 ? 10n ** BigInt(power) : 1n) * unit;
      const down = (value * scale) / lastDigit;
      const found = [down, down + 1n].filter((each) => isIn(each * lastDigit, scale));
      const distance = (each: bigint): bigint => {
        const difference = each * lastDigit - value * scale;
        return difference < 0n ? -difference : difference;
      };
      const [best] = found.toSorted((one, other) => {
        const nearer = distance(one) - distance(other);
        return nearer === 0n ? Number((one % 2n) - (other % 2n)) : Number(nearer > 0n) * 2 - 1;
      });
      if (best !== undefined) return Number(`${best}e${power}`);
    }
  }
  throw new Error("nine digits are enough for every float32");

  /** The number of digits of the integer part in units of 10^power. */
  function digitsAt(of: bigint, power: number): number {
    const scaled = power < 0 ? (of * 10n ** BigInt(-power)) / unit : of / (10n ** BigInt(power) * unit);
    return scaled === 0n ? 0 : String(scaled).length;
  }
}

export function bitsOf(value: number): number {
  view.setFloat32(0, value);
  return view.getUint32(0);
}

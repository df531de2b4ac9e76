/** The temporary PINs that an operator has given out and not noted yet. In the memory of the phone screen, and nowhere else. */
import type { TemporaryPin } from "./customer-acts.ts";

/** The newest first. A customer's new one replaces the one before, which has stopped working. */
export function withPin(pins: readonly TemporaryPin[], pin: TemporaryPin): readonly TemporaryPin[] {
  return [pin, ...withoutPin(pins, pin)];
}

export function withoutPin(pins: readonly TemporaryPin[], { customerId }: TemporaryPin): readonly TemporaryPin[] {
  return pins.filter((each) => each.customerId !== customerId);
}

/** Temporary PINs that an operator has issued and not noted yet, only in the memory of the phone screen. */
import type { TemporaryPin } from "./customer-acts.ts";

/** Newest first. A customer's new PIN replaces the previous one, which no longer works. */
export function withPin(pins: readonly TemporaryPin[], pin: TemporaryPin): readonly TemporaryPin[] {
  return [pin, ...withoutPin(pins, pin)];
}

export function withoutPin(pins: readonly TemporaryPin[], { customerId }: TemporaryPin): readonly TemporaryPin[] {
  return pins.filter((each) => each.customerId !== customerId);
}

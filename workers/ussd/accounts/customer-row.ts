/** A row of `customers` as statements answer it, and what of it a session may know. */
import type { Customer } from "../../../durable-objects/ussd-session/ports.ts";
import type { Language } from "../../../durable-objects/ussd-session/texts/dictionary.ts";

export interface CustomerRow {
  readonly id: number;
  readonly customer_id: string;
  readonly full_name: string;
  readonly language: string | null;
  readonly did: string | null;
  readonly key_did: string | null;
  readonly key_sealed: string | null;
  readonly key_sealed_by: string | null;
  readonly pin_sealed: string | null;
  readonly pin_key_id: string | null;
  readonly must_change_pin: number;
  readonly temp_pin_expires_at: number | null;
  readonly login_epoch: number;
}

export function describeCustomer(row: CustomerRow): Customer {
  return {
    customerId: row.customer_id,
    name: row.full_name,
    language: row.language as Language | null,
    keyDid: row.key_did ?? "",
    linkedDid: row.did,
  };
}

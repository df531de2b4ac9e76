/** Menu files for tests: the one that ships, a small programme with every kind of screen, and changed copies of it. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { checkMenuFile } from "../../../../durable-objects/ussd-session/programme/check-menu-file.ts";
import { faultLine } from "../../../../durable-objects/ussd-session/programme/faults.ts";
import type { Facts } from "../../../../durable-objects/ussd-session/programme/file-screen.ts";
import type { Programme } from "../../../../durable-objects/ussd-session/programme/programme.ts";

const objectFolder = join(import.meta.dirname, "../../../../durable-objects/ussd-session/programme");

export const defaultMenu: string = readFileSync(join(objectFolder, "default-menu.yaml"), "utf8");
export const orders: string = readFileSync(join(import.meta.dirname, "orders.yaml"), "utf8");

/** The programme for tests with one place changed. */
export function ordersWith(before: string, after: string): string {
  if (!orders.includes(before)) throw new Error(`the file has no ${before}`);
  return orders.replace(before, () => after);
}

export function faultsOf(source: string): readonly string[] {
  const checked = checkMenuFile(source);
  return checked.ok ? [] : checked.error.map(faultLine);
}

export function programmeFrom(source: string): Programme {
  const checked = checkMenuFile(source);
  if (!checked.ok) throw new Error(checked.error.map(faultLine).join("\n"));
  return checked.value.programme;
}

export function factsOf(changes: Partial<Facts> = {}): Facts {
  const {
    app = "Digital Services",
    person = null,
    draft = null,
    sms = false,
    today = "2026-11-28",
    supportPhone,
  } = changes;
  return { app, person, draft, sms, today, supportPhone };
}

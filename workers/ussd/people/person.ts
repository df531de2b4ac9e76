/** Finds a person of the gateway: a customer with their phones, or a phone number without an account. */
import * as z from "zod";
import { fail } from "../../../platform/failure.ts";
import { parseJson } from "../../../platform/json.ts";
import { success, type Result } from "../../../platform/result.ts";
import type { PeopleSettings } from "./people-settings.ts";

/** An operator names one of the two. */
type PersonName = { readonly customerId: string } | { readonly phoneNumber: string };

const person = z.object({
  /** Null for a phone number without an account. */
  customerId: z.string().nullable(),
  /** The DID of the customer's own key, which names them to the oracle. */
  keyDid: z.string().nullable(),
  /** Their own numbers. */
  phoneNumbers: z.array(z.string()),
  /** Other phones that they logged in from, which may belong to others. */
  loginPhones: z.array(z.string()),
});

export type Person = z.output<typeof person>;

export function readPerson(text: string): Person | undefined {
  const json = parseJson(text);
  return json.ok ? person.safeParse(json.value).data : undefined;
}

/** The accounts of a number that an error names. */
const NAMED_ACCOUNTS = 20;

export async function findPerson(
  settings: Pick<PeopleSettings, "database">,
  name: PersonName,
): Promise<Result<Person>> {
  const { database } = settings;
  if ("customerId" in name) {
    const found = await findByCustomerId(settings, name.customerId.toUpperCase());
    return found === undefined ? fail("not_found", "Not Found") : success(found);
  }
  const { phoneNumber } = name;
  const { results } = await database
    .prepare(
      `SELECT customers.customer_id AS id FROM customer_phones
       JOIN phones ON phones.id = customer_phones.phone_id
       JOIN customers ON customers.id = customer_phones.customer_id WHERE phone_e164 = ?1 ORDER BY customers.id LIMIT ?2`,
    )
    .bind(phoneNumber, NAMED_ACCOUNTS)
    .all<{ id: string }>();
  const [account, ...others] = results;
  if (others.length > 0) {
    const ids = results.map(({ id }) => id).join(", ");
    return fail("conflict", `Several accounts have this number. Name one by its Customer ID: ${ids}`);
  }
  if (account === undefined)
    return success({ customerId: null, keyDid: null, phoneNumbers: [phoneNumber], loginPhones: [] });
  const found = await findByCustomerId(settings, account.id);
  return found === undefined ? fail("not_found", "Not Found") : success(found);
}

interface PhoneRow {
  readonly phoneNumber: string;
}

async function findByCustomerId(
  { database }: Pick<PeopleSettings, "database">,
  customerId: string,
): Promise<Person | undefined> {
  const phonesIn = (table: "customer_phones" | "login_phones") =>
    database
      .prepare(
        `SELECT phone_e164 AS phoneNumber FROM ${table} JOIN phones ON phones.id = phone_id
         WHERE customer_id = (SELECT id FROM customers WHERE customer_id = ?1) ORDER BY phone_e164`,
      )
      .bind(customerId);
  const [customers, own, login] = await database.batch([
    database.prepare("SELECT key_did AS keyDid FROM customers WHERE customer_id = ?1").bind(customerId),
    phonesIn("customer_phones"),
    phonesIn("login_phones"),
  ]);
  const [customer] = (customers?.results ?? []) as { readonly keyDid: string | null }[];
  if (customer === undefined) return undefined;
  const phoneNumbers = ((own?.results ?? []) as unknown as PhoneRow[]).map(({ phoneNumber }) => phoneNumber);
  const loginPhones = ((login?.results ?? []) as unknown as PhoneRow[]).map(({ phoneNumber }) => phoneNumber);
  return {
    customerId,
    keyDid: customer.keyDid,
    phoneNumbers,
    loginPhones: loginPhones.filter((each) => !phoneNumbers.includes(each)),
  };
}

/** The person as they were noted, with the phones that they have got since; an account that is gone stays as noted. */
export async function withCurrentPhones(settings: Pick<PeopleSettings, "database">, noted: Person): Promise<Person> {
  if (noted.customerId === null) return noted;
  const current = await findByCustomerId(settings, noted.customerId);
  if (current === undefined) return noted;
  const phoneNumbers = [...new Set([...noted.phoneNumbers, ...current.phoneNumbers])];
  const loginPhones = [...new Set([...noted.loginPhones, ...current.loginPhones])];
  return { ...noted, keyDid: current.keyDid ?? noted.keyDid, phoneNumbers, loginPhones };
}

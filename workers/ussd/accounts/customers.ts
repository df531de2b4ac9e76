/** What a logged-in session reads of its customer and does in their name; each act checks anew that the login counts. */
import type { Customer, Login } from "../../../durable-objects/ussd-session/ports.ts";
import { describeCustomer, type CustomerRow } from "./customer-row.ts";
import { mintOracleInvocation } from "./identity.ts";
import type { AccountSettings } from "./settings.ts";

const DAY_MS = 86_400_000;

export async function findCustomer(settings: AccountSettings, login: Login): Promise<Customer | null> {
  const row = await loggedInRow(settings, login);
  return row === null ? null : describeCustomer(row);
}

/** Null when the login counts no more or the customer's key cannot be opened. */
export async function mintInvocation(
  settings: AccountSettings,
  login: Login,
  audience: string,
): Promise<string | null> {
  const row = await loggedInRow(settings, login);
  if (row === null || row.key_sealed === null || row.key_sealed_by === null) return null;
  const sealed = { keyId: row.key_sealed_by, value: row.key_sealed };
  const invocation = await mintOracleInvocation(settings, row.customer_id, sealed, audience);
  if (invocation === undefined) settings.log.error("identity-unreadable", { keyId: sealed.keyId });
  return invocation ?? null;
}

/** The limit is of any 24 hours, not of a calendar's day, which would begin at different hours for callers. */
export async function takeQuestion(
  settings: AccountSettings,
  login: Login,
  jobId: string,
): Promise<"taken" | "limit" | null> {
  const { database, clock, limits } = settings;
  const now = clock();
  const [, questions, customers] = await database.batch([
    database
      .prepare(
        `INSERT INTO ussd_questions (job_id, customer_id, asked_at)
         SELECT ?1, ?2, ?4 WHERE EXISTS (SELECT 1 FROM customers WHERE customer_id = ?2 AND login_epoch = ?3)
           AND (SELECT count(*) FROM ussd_questions WHERE customer_id = ?2 AND asked_at > ?5) < ?6
         ON CONFLICT (job_id) DO NOTHING`,
      )
      .bind(jobId, login.customerId, login.epoch, now, now - DAY_MS, limits.questionsPerDay),
    database
      .prepare("SELECT 1 FROM ussd_questions WHERE job_id = ?1 AND customer_id = ?2")
      .bind(jobId, login.customerId),
    database
      .prepare("SELECT 1 FROM customers WHERE customer_id = ?1 AND login_epoch = ?2")
      .bind(login.customerId, login.epoch),
  ]);
  if (customers?.results.length !== 1) return null;
  return questions?.results.length === 1 ? "taken" : "limit";
}

export function purgeQuestions({ database, clock }: Pick<AccountSettings, "database" | "clock">): D1PreparedStatement {
  return database.prepare("DELETE FROM ussd_questions WHERE asked_at <= ?1").bind(clock() - DAY_MS);
}

function loggedInRow({ database }: AccountSettings, { customerId, epoch }: Login): Promise<CustomerRow | null> {
  return database
    .prepare("SELECT * FROM customers WHERE customer_id = ?1 AND login_epoch = ?2")
    .bind(customerId, epoch)
    .first<CustomerRow>();
}

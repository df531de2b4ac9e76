/** Removes call records, and numbers without calls, that are older than the operator's settings (PH-156). */
import type { Statement } from "../../../platform/database/database.ts";
import type { AccountSettings } from "./settings.ts";

/** At most `limit` rows of each table, found by an index. */
export function retentionStatements(
  { database, clock, retention = {} }: Pick<AccountSettings, "database" | "clock" | "retention">,
  limit: number,
): readonly Statement[] {
  const { records, phones } = retention;
  return [
    ...(records === undefined
      ? []
      : [
          database
            .prepare("DELETE FROM audit_log WHERE id IN (SELECT id FROM audit_log WHERE at <= ?1 ORDER BY at LIMIT ?2)")
            .bind(clock() - records, limit),
        ]),
    // The links first, because they refer to the phones; by then the number belongs to no account (PH-127).
    ...(phones === undefined
      ? []
      : [
          ["customer_phones", "phone_id"],
          ["login_phones", "phone_id"],
          ["phones", "id"],
        ].map(([table, column]) =>
          database
            .prepare(
              `DELETE FROM ${table} WHERE ${column} IN (
                 SELECT id FROM phones WHERE last_seen <= ?1 ORDER BY last_seen, id LIMIT ?2)`,
            )
            .bind(clock() - phones, limit),
        )),
  ];
}

/**
 * Parts of statements that PostgreSQL needs in another form, because the index of each engine contains the expression
 * in a different form: SQLite takes a JSON boolean as a condition.
 */
export const phrases: readonly (readonly [string, string])[] = [
  [
    "(services ->> '$.reporting.enabled' OR services ->> '$.issuance.enabled')",
    "(services ->> '$.reporting.enabled' = '1' OR services ->> '$.issuance.enabled' = '1')",
  ],
];

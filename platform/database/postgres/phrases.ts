/**
 * Parts of statements that PostgreSQL needs in another form, because the index of each engine contains the expression
 * in a different form: SQLite takes a JSON boolean as a condition.
 */
export const phrases: readonly (readonly [string, string])[] = [
  [
    "(services ->> '$.reporting.enabled' OR services ->> '$.issuance.enabled')",
    "(json_extract_path_text(CAST(services AS json), 'reporting', 'enabled') = 'true' OR " +
      "json_extract_path_text(CAST(services AS json), 'issuance', 'enabled') = 'true')",
  ],
];

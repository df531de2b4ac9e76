/** Set by vitest.config.ts for the project `postgres`. */
export const isPostgres = process.env["TEST_ENGINE"] === "postgres";

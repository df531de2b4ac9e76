/** Bindings that exist only under test, in addition to the deployed ones (vitest.config.ts). */
declare namespace Cloudflare {
  interface Env {
    TEST_MIGRATIONS: import("cloudflare:test").D1Migration[];
    DEPLOYED_USSD_SESSION: DurableObjectNamespace;
    SCRIPTED_CHAT_SESSION: DurableObjectNamespace;
    SCRIPTED_OUTBOX: DurableObjectNamespace;
    TEST_SOCKETS: DurableObjectNamespace;
    /** D1 beside PostgreSQL (test/postgres/workers). */
    COMPARED: D1Database;
  }
}

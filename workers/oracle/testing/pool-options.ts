/**
 * The package entry `twinedge/oracle/testing/pool`: what the test pool needs to run oracles, for a vitest.config. It runs in
 * Node and imports nothing of the Worker.
 */
/** As in the wrangler.toml of the example: older runtimes know it too. */
const COMPATIBILITY_DATE = "2026-10-01";

export interface OraclePoolOptions {
  /** Further bindings and services, as Miniflare takes them; they win. */
  readonly miniflare?: Readonly<Record<string, unknown>>;
}

/**
 * Options for `cloudflareTest()`: a Worker with the objects of an oracle, a D1 database and an R2 bucket, nothing of the
 * network. `plugins: [cloudflareTest(oraclePool())]` is all that a vitest.config needs.
 */
export function oraclePool({ miniflare = {} }: OraclePoolOptions = {}) {
  return {
    main: workerPath(),
    miniflare: {
      compatibilityDate: COMPATIBILITY_DATE,
      compatibilityFlags: ["nodejs_compat"],
      durableObjects: {
        CHAT_SESSION: { className: "ChatSession", useSQLite: true },
        USER_VAULT: { className: "UserVault", useSQLite: true },
        CREDIT_LEDGER: { className: "CreditLedger", useSQLite: true },
      },
      d1Databases: ["DATABASE"],
      r2Buckets: ["BLOBS"],
      ...miniflare,
    },
  };
}

declare global {
  /** As Node and browsers have it; the Worker's types leave it out. */
  interface ImportMeta {
    url: string;
  }
}

/** The file beside this one, in the source and in the package. */
function workerPath(): string {
  // Written out: bundlers of a vitest.config replace the expression.
  const url = import.meta.url;
  const worker = new URL(url.endsWith(".ts") ? "./worker.ts" : "./worker.js", url);
  // On Windows the path of a file's URL is `/C:/folder/file`.
  return decodeURIComponent(worker.pathname).replace(/^\/(?=[A-Za-z]:\/)/, "");
}

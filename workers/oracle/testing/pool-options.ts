/**
 * The package entry `twinedge/oracle/testing/pool`: options for a vitest.config whose test pool runs oracles. It runs
 * in Node and imports nothing of the Worker.
 */
/** As in the wrangler.toml of the example: older runtimes support it too. */
const COMPATIBILITY_DATE = "2026-10-01";

export interface OraclePoolOptions {
  /** Further bindings and services, in Miniflare's form; they take precedence. */
  readonly miniflare?: Readonly<Record<string, unknown>>;
}

/**
 * Options for `cloudflareTest()`: a Worker with the objects of an oracle, a D1 database and an R2 bucket, without
 * network access. A vitest.config needs only `plugins: [cloudflareTest(oraclePool())]`.
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
  /** As in Node and browsers; the Worker's types omit it. */
  interface ImportMeta {
    url: string;
  }
}

/** The file next to this one, in the source and in the package. */
function workerPath(): string {
  // A separate variable, because bundlers of a vitest.config replace the expression.
  const url = import.meta.url;
  const worker = new URL(url.endsWith(".ts") ? "./worker.ts" : "./worker.js", url);
  // On Windows the path of a file's URL is `/C:/folder/file`.
  return decodeURIComponent(worker.pathname).replace(/^\/(?=[A-Za-z]:\/)/, "");
}

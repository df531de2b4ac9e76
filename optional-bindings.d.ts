/** Bindings that a deployment can add to wrangler.toml (docs/deploy.md). `wrangler types` declares those that the file has now. */
declare namespace Cloudflare {
  interface Env {
    /** PostgreSQL in place of D1. */
    HYPERDRIVE?: Hyperdrive;
  }
}
interface Env {
  HYPERDRIVE?: Hyperdrive;
}

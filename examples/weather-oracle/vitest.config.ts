/** Tests of an oracle run inside the Workers runtime. */
import { cloudflareTest } from "@cloudflare/vitest-pool-workers";
import { oraclePool } from "twinedge/oracle/testing/pool";
import { defineConfig } from "vitest/config";

export default defineConfig({ plugins: [cloudflareTest(oraclePool())] });

/** A D1 database of an environment in wrangler.toml, over Cloudflare's HTTP API. */
import { join } from "node:path";
import { unstable_readConfig as readConfig } from "wrangler";
import * as z from "zod";
import { failure, success, type Result } from "../../platform/result.ts";
import { projectRoot } from "../run-command.ts";
import type { Row, SqlRunner, Statement } from "../../shared/tables/table.ts";

export interface RemoteD1 {
  readonly api: string;
  readonly account: string;
  readonly token: string;
  readonly database: string;
}

const API = "https://api.cloudflare.com/client/v4";
/** Milliseconds; D1 ends a statement after 30 s. */
const TIMEOUT = 60_000;
const PLACEHOLDER = /^[0-]*$/;

const configSchema = z.object({
  d1_databases: z.array(z.object({ binding: z.string(), database_id: z.string().optional() })),
});

/** @param environment of wrangler.toml, such as `production`. */
export function remoteD1(
  environment: string,
  variables: Readonly<Record<string, string | undefined>>,
): Result<RemoteD1, string> {
  const { CLOUDFLARE_API_TOKEN: token = "", CLOUDFLARE_ACCOUNT_ID: account = "" } = variables;
  if (token === "" || account === "") {
    return failure("set CLOUDFLARE_ACCOUNT_ID, and CLOUDFLARE_API_TOKEN to a token that can edit D1");
  }
  const config: unknown = readConfig(
    { config: join(projectRoot, "wrangler.toml"), env: environment },
    { hideWarnings: true },
  );
  const { d1_databases: databases } = configSchema.parse(config);
  const database = databases.find(({ binding }) => binding === "DATABASE")?.database_id ?? "";
  if (PLACEHOLDER.test(database)) return failure(`env.${environment} in wrangler.toml names no D1 database`);
  return success({ api: variables["CLOUDFLARE_API_BASE_URL"] ?? API, account, token, database });
}

const answerSchema = z.object({
  success: z.boolean(),
  errors: z.array(z.object({ message: z.string() })).default([]),
  result: z
    .array(z.object({ results: z.object({ rows: z.array(z.array(z.union([z.string(), z.null()]))) }) }))
    .nullish(),
});

export function openRemoteD1({ api, account, token, database }: RemoteD1): SqlRunner {
  const address = `${api}/accounts/${encodeURIComponent(account)}/d1/database/${encodeURIComponent(database)}/raw`;
  const send = async (statements: readonly Statement[]): Promise<readonly (readonly Row[])[]> => {
    const response = await fetch(address, {
      method: "POST",
      headers: { Authorization: `Bearer ${token}`, "Content-Type": "application/json" },
      body: JSON.stringify({ batch: statements.map(({ sql, values = [] }) => ({ sql, params: values })) }),
      signal: AbortSignal.timeout(TIMEOUT),
    });
    const answer = answerSchema.safeParse(await response.json());
    if (!answer.success || !answer.data.success || answer.data.result === undefined || answer.data.result === null) {
      const reasons = answer.data?.errors.map(({ message }) => message).join("; ") ?? "";
      throw new Error(`D1 answered ${response.status}${reasons === "" ? "" : `: ${reasons}`}`);
    }
    return answer.data.result.map(({ results }) => results.rows);
  };
  return {
    async query(statement) {
      const [rows = []] = await send([statement]);
      return rows;
    },
    async batch(statements) {
      await send(statements);
    },
    close: () => Promise.resolve(),
  };
}

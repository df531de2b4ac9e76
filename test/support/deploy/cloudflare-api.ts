/**
 * A small server of Cloudflare's API, as far as wrangler uses it to deploy this project: Workers with versions, deployments, secrets
 * and assets, D1 on SQLite, and R2 buckets. It refuses what the platform refuses. `CLOUDFLARE_API_BASE_URL` points wrangler at it.
 */
import { randomBytes } from "node:crypto";
import { startNodeFetchServer } from "../peers/node-fetch-server.ts";
import { newAccount, type Account } from "./account.ts";
import { authenticationError, envelope, noSuchRoute, type Answer } from "./answers.ts";
import { assetRoutes } from "./asset-routes.ts";
import { bucketRoutes } from "./bucket-routes.ts";
import { databaseRoutes } from "./database-routes.ts";
import { deploymentRoutes } from "./deployment-routes.ts";
import { findRoute } from "./routes.ts";
import { workerRoutes } from "./worker-routes.ts";

const ROOT = "/client/v4";
const routes = [...workerRoutes, ...deploymentRoutes, ...assetRoutes, ...databaseRoutes, ...bucketRoutes];

export interface CloudflareApi {
  /** Variables with which wrangler uses this server. */
  readonly variables: Readonly<Record<string, string>>;
  readonly account: Account;
  /** Method and path of every call, oldest first, without the account. */
  readonly calls: readonly string[];
  close(): Promise<void>;
}

export async function startCloudflareApi(): Promise<CloudflareApi> {
  const accountId = randomBytes(16).toString("hex");
  const token = randomBytes(20).toString("hex");
  const account = newAccount();
  const calls: string[] = [];
  const prefix = `${ROOT}/accounts/${accountId}`;

  async function answer(request: Request): Promise<Answer> {
    const { pathname, searchParams } = new URL(request.url);
    const isUpload = pathname === `${prefix}/workers/assets/upload`;
    // Uploads of assets carry the token of their session instead.
    if (!isUpload && request.headers.get("Authorization") !== `Bearer ${token}`) return authenticationError;
    if (!pathname.startsWith(prefix)) return noSuchRoute(pathname.slice(ROOT.length));
    const path = pathname.slice(prefix.length);
    calls.push(`${request.method} ${path}`);
    const route = findRoute(routes, request.method, path);
    if (route === undefined) return noSuchRoute(path);
    return await route.answer({ account, at: route.at, query: searchParams, request });
  }

  const server = await startNodeFetchServer(async (request) => envelope(await answer(request)));
  return {
    variables: {
      CLOUDFLARE_API_BASE_URL: server.url + ROOT,
      CLOUDFLARE_ACCOUNT_ID: accountId,
      CLOUDFLARE_API_TOKEN: token,
    },
    account,
    calls,
    async close() {
      for (const store of account.databases.values()) store.close();
      await server.stop();
    },
  };
}

/** D1 over Cloudflare's API: a copy from it and into it, and its errors. The server follows the API's protocol over SQLite. */
import { DatabaseSync } from "node:sqlite";
import { expect, onTestFinished, test } from "vitest";
import { migratedFile, openFile } from "../../test/support/storage/copied-databases.ts";
import { fillRegistry } from "../../test/support/storage/filled-registry.ts";
import { startLocalServer } from "../../test/support/server/local-server.ts";
import { temporaryDirectory } from "../../test/support/server/temporary-directory.ts";
import { copyDatabase } from "./copy.ts";
import type { Database } from "../../shared/tables/table.ts";
import { openRemoteD1, remoteD1 } from "./remote-d1.ts";
import { sqliteEngine } from "../../shared/tables/sqlite-engine.ts";
import { verifyDatabases } from "./verify.ts";

/** Bytes that D1 takes as one parameter. */
const MOST_BYTES = 2_000_000;

interface Query {
  readonly sql: string;
  readonly params: readonly (string | null)[];
}

async function startApi(file: string) {
  const database = new DatabaseSync(file, { enableForeignKeyConstraints: true });
  const server = await startLocalServer((request, body, response) => {
    const answer = (status: number, content: object): void =>
      void response.writeHead(status).end(JSON.stringify(content));
    const refuse = (message: string): void => answer(400, { success: false, errors: [{ message }], result: null });
    if (request.headers.authorization !== "Bearer token") return refuse("Authentication error");
    if (request.url !== "/accounts/account/d1/database/id/raw") return refuse("not found");
    const { batch } = JSON.parse(body) as { readonly batch: readonly Query[] };
    if (batch.some(({ params }) => params.some((value) => (value?.length ?? 0) > MOST_BYTES))) return refuse("too big");
    database.exec("BEGIN");
    try {
      const result = batch.map(({ sql, params }) => {
        const statement = database.prepare(sql);
        statement.setReturnArrays(true);
        return { success: true, results: { columns: [], rows: statement.all(...params) } };
      });
      database.exec("COMMIT");
      return answer(200, { success: true, errors: [], result });
    } catch (error) {
      database.exec("ROLLBACK");
      return refuse((error as Error).message);
    }
  });
  onTestFinished(async () => {
    await server.close();
    database.close();
  });
  return (token: string): Database => ({
    place: "D1 over the API",
    engine: sqliteEngine,
    runner: openRemoteD1({ api: server.origin, account: "account", token, database: "id" }),
  });
}

test("every row arrives over the API and from it [RG-286, RG-289]", async () => {
  const folder = temporaryDirectory();
  const source = migratedFile(folder, "source.sqlite");
  const filled = new DatabaseSync(source);
  fillRegistry(filled, 60);
  filled.close();
  const [from, to] = [await startApi(source), await startApi(migratedFile(folder, "target.sqlite"))];
  const options = { catchUp: false, note: () => undefined };
  expect(await copyDatabase(from("token"), to("token"), options)).toMatchObject({ ok: true });
  const local = openFile(source);
  onTestFinished(() => local.runner.close());
  expect(await verifyDatabases(local, to("token"), () => undefined)).toEqual({ ok: true, value: 0 });
});

test("an error of the API is reported in its words", async () => {
  const open = await startApi(migratedFile(temporaryDirectory(), "database.sqlite"));
  const refused = open("wrong").runner.query({ sql: "SELECT '1'" });
  await expect(refused).rejects.toThrow("D1 answered 400: Authentication error");
  await expect(open("token").runner.query({ sql: "SELECT absent" })).rejects.toThrow("no such column: absent");
});

test("without a token or a database, the step that is missing is named", () => {
  expect(remoteD1("production", {})).toMatchObject({
    ok: false,
    error: expect.stringContaining("CLOUDFLARE_API_TOKEN"),
  });
  const variables = { CLOUDFLARE_API_TOKEN: "token", CLOUDFLARE_ACCOUNT_ID: "account" };
  expect(remoteD1("production", variables)).toMatchObject({
    ok: false,
    error: expect.stringContaining("names no D1 database"),
  });
});

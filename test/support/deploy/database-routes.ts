/** D1: create, look up, query, time travel, delete. */
import { randomUUID } from "node:crypto";
import * as z from "zod";
import type { Account } from "./account.ts";
import { refuse, type Answer, type Refusal } from "./answers.ts";
import { D1Store } from "./d1-store.ts";
import type { Call, Route } from "./routes.ts";

const ROOT = "/d1/database";
const creation = z.object({ name: z.string() });
const question = z.object({ sql: z.string(), params: z.array(z.unknown()).max(0).default([]) });

export const databaseRoutes: readonly Route[] = [
  [
    "POST",
    ROOT,
    async ({ account, request }) => {
      const { name } = creation.parse(await request.json());
      if (byName(account, name) !== undefined) return refuse(409, 7502, "A database with that name already exists");
      const store = new D1Store(randomUUID(), name);
      account.databases.set(store.uuid, store);
      return { result: described(store) };
    },
  ],
  [
    "GET",
    ROOT,
    ({ account, query }) => {
      const name = query.get("name");
      const found = [...account.databases.values()].filter((store) => name === null || store.name === name);
      return { result: found.map(described) };
    },
  ],
  ["GET", `${ROOT}/:id`, (call) => withStore(call, (store) => ({ result: described(store) }))],
  [
    "DELETE",
    `${ROOT}/:id`,
    (call) =>
      withStore(call, (store) => {
        call.account.databases.delete(store.uuid);
        store.close();
        return { result: null };
      }),
  ],
  [
    "POST",
    `${ROOT}/:id/query`,
    async (call) => {
      const { sql } = question.parse(await call.request.json());
      return withStore(call, (store) => {
        try {
          return { result: [{ results: store.run(sql), success: true, meta: { duration: 1, changes: 0 } }] };
        } catch (error) {
          return refuse(400, 7500, (error as Error).message);
        }
      });
    },
  ],
  [
    "GET",
    `${ROOT}/:id/time_travel/bookmark`,
    (call) =>
      withStore(call, (store) => {
        const time = call.query.get("timestamp");
        const bookmark = store.bookmarkAt(time === null ? Date.now() : Date.parse(time));
        return bookmark === undefined ? outsideWindow : { result: { bookmark } };
      }),
  ],
  [
    "POST",
    `${ROOT}/:id/time_travel/restore`,
    (call) =>
      withStore(call, (store) => {
        const bookmark = call.query.get("bookmark") ?? store.bookmarkAt(Date.parse(call.query.get("timestamp") ?? ""));
        if (bookmark === undefined) return outsideWindow;
        return { result: { bookmark, previous_bookmark: store.restore(bookmark), message: "restored" } };
      }),
  ],
];

const outsideWindow = refuse(400, 7400, "The timestamp is outside the window of time travel");

function described({ uuid, name, createdAt }: D1Store): object {
  return { uuid, name, created_at: createdAt, version: "production", num_tables: 0, file_size: 0 };
}

function byName({ databases }: Account, name: string): D1Store | undefined {
  return [...databases.values()].find((store) => store.name === name);
}

function withStore({ account, at }: Call, answer: (store: D1Store) => Answer): Answer | Refusal {
  const id = at("id");
  const store = account.databases.get(id) ?? byName(account, id);
  return store === undefined ? refuse(404, 7404, `The database ${id} could not be found`) : answer(store);
}

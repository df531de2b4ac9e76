/** R2: create, look up, list, delete. */
import * as z from "zod";
import { refuse } from "./answers.ts";
import type { Route } from "./routes.ts";

const ROOT = "/r2/buckets";
const creation = z.object({ name: z.string() });
const notFound = refuse(404, 10_006, "The specified bucket does not exist.");

export const bucketRoutes: readonly Route[] = [
  [
    "POST",
    ROOT,
    async ({ account, request }) => {
      const { name } = creation.parse(await request.json());
      if (account.buckets.has(name))
        return refuse(409, 10_004, "The bucket you tried to create already exists, and you own it.");
      account.buckets.add(name);
      return { result: { name } };
    },
  ],
  ["GET", ROOT, ({ account }) => ({ result: { buckets: [...account.buckets].map((name) => ({ name })) } })],
  [
    "GET",
    `${ROOT}/:name`,
    ({ account, at }) => (account.buckets.has(at("name")) ? { result: { name: at("name") } } : notFound),
  ],
  ["DELETE", `${ROOT}/:name`, ({ account, at }) => (account.buckets.delete(at("name")) ? { result: {} } : notFound)],
];

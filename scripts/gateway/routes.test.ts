import { expect, test } from "vitest";
import { printRoutes } from "./routes.ts";

const document = {
  paths: { "/a/{id}": { get: { summary: "p.S/A" }, servers: [] }, "/b": { post: { summary: "p.S/B" } } },
  "x-legacy-aliases": { "/old": "/b" },
};

async function print(answer: () => Promise<Response>) {
  const lines: string[] = [];
  const failed = await printRoutes("http://g", { fetch: answer, print: (line) => void lines.push(line) });
  return { failed, lines };
}

test("methods, paths, rpcs and aliases in columns", async () => {
  expect((await print(async () => Response.json(document))).lines).toEqual([
    "GET     /a/{id}  p.S/A",
    "POST    /b       p.S/B",
    "alias   /old     /b",
  ]);
});

test.each<[string, () => Promise<Response>]>([
  ["HTTP 404", async () => new Response("", { status: 404 })],
  ["Cannot reach the server", async () => Promise.reject(new TypeError("refused"))],
])("%s", async (words, answer) => {
  expect((await print(answer)).failed).toContain(words);
});

import { expect, test } from "vitest";
import { unknownPathPage } from "./unknown-path-page.ts";

const page = async (variables: object) => {
  const response = unknownPathPage({ ASSETS: {}, ...variables } as Env);
  return { response, text: await response.text() };
};

test("the page of an unknown path links to the console if it is on, to the reference and to health, without script [CN-295, CN-299]", async () => {
  const { response, text } = await page({ CONSOLE_ENABLED: "true" });
  expect([response.status, response.headers.get("Content-Type")]).toEqual([404, "text/html; charset=utf-8"]);
  expect([...text.matchAll(/<a href="([^"]+)"/g)].map(([, href]) => href)).toEqual([
    "/console",
    "/docs",
    "/docs/client-guide",
    "/health",
  ]);
  expect(text).not.toMatch(/<script|\son\w+=|style=|https?:\/\//);
  expect((await page({})).text).not.toContain("/console");
});

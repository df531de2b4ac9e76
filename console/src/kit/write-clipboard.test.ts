/** Copying where there is no clipboard; the browser tests copy for real. */
import { expect, test } from "vitest";
import { writeClipboard } from "./write-clipboard.ts";

test("where a page has no clipboard, as without a secure connection, copying says that it failed", async () => {
  expect(await writeClipboard("anything")).toBe(false);
});

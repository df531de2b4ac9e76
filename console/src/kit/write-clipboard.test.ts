/** Copying without a clipboard; the browser tests cover real copying. */
import { expect, test } from "vitest";
import { writeClipboard } from "./write-clipboard.ts";

test("copying reports a failure on a page without a clipboard, such as without a secure connection", async () => {
  expect(await writeClipboard("anything")).toBe(false);
});

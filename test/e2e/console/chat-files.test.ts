/** Files in the chat of the console, in a browser: attached in each way, removed, sent, and read by the oracle. */
import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { chatTexts } from "../../../console/src/texts/chat.ts";
import { hasBrowser } from "../../support/browser/browser.ts";
import { startConsoleForTests } from "../../support/console/console-for-tests.ts";

const log = (page: Page) => page.getByRole("log");

async function say(page: Page, text: string): Promise<void> {
  const field = page.getByRole("textbox", { name: chatTexts.message, exact: true });
  await field.fill(text);
  await field.press("Enter");
}

describe.runIf(hasBrowser)("files in the chat", () => {
  const app = startConsoleForTests();

  test.each([320, 1280])(
    "files are attached by button, paste and drop at %d pixels, removed, and read by the oracle [CN-285, CN-286]",
    async (width) => {
      const { page } = await app.open({ path: "/chat", width });
      const words = chatTexts.attach;
      const attach = page.getByRole("button", { name: words.choose });
      await attach.waitFor();
      const files = page.getByRole("list", { name: words.title });
      const chosen = (name: string, text: string, mimeType = "text/plain") => ({
        name,
        mimeType,
        buffer: Buffer.from(text),
      });
      await page
        .locator("input[type=file]")
        .setInputFiles([chosen("notes.txt", "The harvest was 42 tonnes."), chosen("a.zip", "PK", "application/zip")]);
      await files.getByText(words.wrongType).waitFor();
      await files.getByText(words.size(26)).waitFor();
      await files.getByRole("button", { name: words.remove("a.zip") }).click();
      for (const [target, event, member, name] of [
        ["textarea", "ClipboardEvent", "clipboardData", "pasted.txt"],
        [".chat-conversation", "DragEvent", "dataTransfer", "dropped.md"],
      ]) {
        await page.evaluate(`(() => {
        const data = new DataTransfer();
        data.items.add(new File(["# ${name}"], "${name}"));
        const type = "${event}" === "DragEvent" ? "drop" : "paste";
        const event = new ${event}(type, { bubbles: true, cancelable: true, ${member}: data });
        document.querySelector("${target}").dispatchEvent(event);
      })()`);
        await files.getByText(name ?? "", { exact: true }).waitFor();
      }
      await files.getByRole("progressbar").first().waitFor({ state: "detached" });
      await files.getByRole("button", { name: words.remove("dropped.md") }).click();
      expect(await page.evaluate<number>("document.documentElement.scrollWidth - innerWidth")).toBeLessThanOrEqual(0);
      await say(page, "What does it say");
      await log(page).getByText("The harvest was 42 tonnes.").waitFor();
      await log(page).getByRole("list", { name: words.title }).getByText("notes.txt").first().waitFor();
      await files.and(page.locator(".chat-files")).waitFor({ state: "detached" });
    },
  );
});

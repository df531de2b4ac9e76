/** An answer that streams into the console's chat, a reload during it, and the continued answer. */
import type { Page } from "playwright-core";
import { chatTexts } from "../../console/src/texts/chat.ts";
import { field, newestPart, partsOf, quiet, say } from "../../test/support/console/chat-page.ts";
import { drawn } from "../../test/support/console/every-look.ts";
import type { Frame } from "./image-files.ts";

/** The built-in model's command for an answer in parts, and the milliseconds between two of them. */
const PARTS = 120;
const PAUSE = 150;
const QUESTION = `/slow ${PARTS} ${PAUSE}`;

/** The part after which the page is reloaded, and the part with which the recording ends. */
const RELOADED_AFTER = 45;
const LAST = 90;

/** Milliseconds that the frames around the reload are shown. */
const READ = 1500;

export async function recordReload(page: Page): Promise<readonly Frame[]> {
  const frames: Frame[] = [];
  const watch = async (milliseconds: number, caption: string): Promise<void> => {
    await drawn(page);
    frames.push({ picture: await page.screenshot(), milliseconds, caption });
  };
  /** One frame for each few parts, at the pace of the answer. */
  const follow = async (until: number, caption: string): Promise<void> => {
    let shown = await newestPart(page);
    for (let part = shown; part < until; part = await newestPart(page)) {
      if (part > shown || shown === 0) {
        await watch(Math.max(PAUSE, (part - shown) * PAUSE), caption);
        shown = part;
      } else await drawn(page);
    }
  };
  await field(page).fill(QUESTION);
  await watch(READ, "A question");
  await say(page, QUESTION);
  await page.getByRole("button", { name: chatTexts.stop }).waitFor();
  await follow(RELOADED_AFTER, "The answer streams in");
  await watch(READ, "The page is reloaded");
  await page.reload({ waitUntil: "commit" });
  await watch(READ / 3, "The page is reloaded");
  await page.getByRole("button", { name: chatTexts.stop }).waitFor();
  await watch(READ, "The answer is still there");
  await follow(LAST, "and continues without a gap");
  await watch(READ, "and continues without a gap");
  const parts = await partsOf(page);
  if (parts.some((part, index) => part !== index + 1)) throw new Error(`the answer has a gap: ${parts.join(" ")}`);
  await page.getByRole("button", { name: chatTexts.stop }).click();
  await quiet(page);
  return frames;
}

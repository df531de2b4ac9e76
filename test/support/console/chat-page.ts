/** The elements of the chat page that its tests use. */
import type { Locator, Page, Response } from "playwright-core";
import { chatTexts } from "../../../console/src/texts/chat.ts";

export const field = (page: Page): Locator => page.getByRole("textbox", { name: chatTexts.message, exact: true });
export const log = (page: Page): Locator => page.getByRole("log");
export const panel = (page: Page): Locator => page.getByRole("complementary");

export async function say(page: Page, text: string): Promise<void> {
  await field(page).fill(text);
  await field(page).press("Enter");
}

/** Waits until nothing is running. */
export const quiet = (page: Page): Promise<void> =>
  page.getByRole("button", { name: chatTexts.stop }).waitFor({ state: "detached" });

export async function didOf(page: Page): Promise<string> {
  return (await panel(page).locator(".chat-did").innerText()).trim();
}

/** The response to the deletion of a conversation. */
export const isDeletion = (response: Response): boolean =>
  response.request().method() === "DELETE" && /\/sessions\//.test(response.url());

/** The numbers that `/slow` has sent so far in the last answer. */
export async function partsOf(page: Page): Promise<readonly number[]> {
  const text = (await log(page).getByRole("article", { name: chatTexts.oracle }).allInnerTexts()).at(-1) ?? "";
  return [...text.matchAll(/part (\d+)/g)].map(([, number]) => Number(number));
}
export const newestPart = async (page: Page): Promise<number> => (await partsOf(page)).at(-1) ?? 0;

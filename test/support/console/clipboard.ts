/**
 * Reads the text that a page has copied. The console may write to the clipboard but not read it, so another page of the browser
 * reads it.
 */
import type { BrowserContext } from "playwright-core";
import type { RunningServer } from "../server/running-server.ts";

export async function readClipboard(context: BrowserContext, server: RunningServer): Promise<string> {
  const reader = await context.newPage();
  try {
    await reader.goto(`${server.url}/health`);
    await reader.bringToFront();
    return await reader.evaluate<string>("navigator.clipboard.readText()");
  } finally {
    await reader.close();
  }
}

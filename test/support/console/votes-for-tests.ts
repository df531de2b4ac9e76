/** A console with votes: domains, proposals and votes over the registry's routes, and the steps of a vote in a page. */
import type { Locator, Page } from "playwright-core";
import { expect } from "vitest";
import { startConsoleForTests } from "./console-for-tests.ts";
import type { ConsolePage } from "./console-page.ts";
import { developmentKeys } from "./development-keys.ts";
import { callRegistry } from "./registry-sample.ts";

interface VoteList {
  readonly data: readonly { readonly voter: string; readonly option: string; readonly power: number }[];
}

export const dialogOf = (page: Page) => page.getByRole("dialog");
export const button = (where: Page | Locator, name: string) => where.getByRole("button", { name, exact: true });
export const encoded = encodeURIComponent;

/** Starts the server and the browser for the suite that calls it. */
export function startVotesForTests() {
  const app = startConsoleForTests();
  const newDomain = async (name: string, more: object = {}): Promise<string> => {
    const body = { type: "Project", class: "did:ixo:protocol/clean-cooking", metadata: { name }, ...more };
    return (await callRegistry(app.server, "POST", "/v1/domains", { body })).id;
  };
  const propose = async (domain: string, body: object): Promise<string> =>
    (await callRegistry(app.server, "POST", `/v1/domains/${encoded(domain)}/proposals`, { body })).id;
  const castElsewhere = (pid: string, option: string, key: string) =>
    callRegistry(app.server, "POST", `/v1/proposals/${pid}/votes`, { body: { option }, key });
  const votesOf = async (pid: string) =>
    (await callRegistry<VoteList>(app.server, "GET", `/v1/proposals/${pid}/votes`)).data;
  const change = async (domain: string, body: object): Promise<void> => {
    const answer = await fetch(`${app.server.url}/v1/domains/${encoded(domain)}`, {
      method: "PATCH",
      headers: {
        Authorization: `Bearer ${developmentKeys().apiKey}`,
        "Content-Type": "application/json",
        "If-Match": "*",
      },
      body: JSON.stringify(body),
    });
    expect(answer.status).toBe(200);
  };
  /** Goes to the dialog of a vote. */
  const choose = async ({ page }: ConsolePage, option: string): Promise<Locator> => {
    await page.getByRole("radio", { name: new RegExp(`^${option} `, "i") }).check();
    await button(page, "Vote").click();
    return button(dialogOf(page), `Cast ${option}`);
  };
  return { app, newDomain, propose, castElsewhere, votesOf, change, choose };
}

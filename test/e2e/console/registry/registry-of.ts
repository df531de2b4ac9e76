/** Fills, changes and reads the registry for the tests of its screen, with their locators. */
import type { Locator, Page } from "playwright-core";
import type { ConsoleForTests } from "../../../support/console/console-for-tests.ts";
import { developmentKeys } from "../../../support/console/development-keys.ts";
import { callRegistry } from "../../../support/console/registry-sample.ts";

interface List {
  readonly data: readonly { readonly id: string; readonly name: string | null }[];
  readonly page: { readonly total: number };
}

export const PROTOCOL = "did:ixo:protocol/clean-cooking";

export const rowsOf = (page: Page): Locator => page.getByRole("table", { name: "Domains" }).locator("tbody tr");

export function registryOf(app: ConsoleForTests) {
  return {
    create: async (name: string, more: object = {}): Promise<string> => {
      const body = { type: "Project", class: PROTOCOL, metadata: { name }, ...more };
      return (await callRegistry(app.server, "POST", "/v1/domains", { body })).id;
    },
    found: (query: string): Promise<List> => callRegistry<List>(app.server, "GET", `/v1/domains?count=true&${query}`),
    patch: async (id: string, version: number, body: object): Promise<number> => {
      const response = await fetch(`${app.server.url}/v1/domains/${id}`, {
        method: "PATCH",
        headers: {
          Authorization: `Bearer ${developmentKeys().apiKey}`,
          "Content-Type": "application/merge-patch+json",
          "If-Match": `"v${version}"`,
        },
        body: JSON.stringify(body),
      });
      return response.status;
    },
    pathOf: (page: Page): string => page.url().slice(`${app.server.url}/console`.length),
  };
}

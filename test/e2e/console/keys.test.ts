/** Keys and webhooks in a real browser: secrets that are shown once, rights that begin and end, messages that arrive or fail. */
import type { Page, Route } from "playwright-core";
import { beforeAll, describe, expect, test } from "vitest";
import { hasBrowser } from "../../support/browser/browser.ts";
import { startConsoleForTests } from "../../support/console/console-for-tests.ts";
import { developmentKeys } from "../../support/console/development-keys.ts";
import { tabTo } from "../../support/console/keyboard.ts";
import { intercept } from "../../support/console/network.ts";
import { callRegistry, DEVELOPER } from "../../support/console/registry-sample.ts";
import { disposeAfterTests } from "../../support/server/dispose-after-tests.ts";
import { startWebhookReceiver, type WebhookReceiver } from "../../support/registry/webhook-receiver.ts";

interface KeyList {
  readonly data: readonly { readonly id: string; readonly label: string; readonly scopes: readonly string[] }[];
}

describe.runIf(hasBrowser)("keys and webhooks", () => {
  const variables = { REGISTRY_WEBHOOK_HOSTS: "" };
  const started = disposeAfterTests();
  let receiver: WebhookReceiver;
  beforeAll(async () => {
    receiver = started(await startWebhookReceiver());
    variables.REGISTRY_WEBHOOK_HOSTS = receiver.host;
  });
  const app = startConsoleForTests(variables);

  const operator = <Answer>(method: string, path: string, body?: unknown): Promise<Answer> =>
    callRegistry<Answer>(app.server, method, path, { body, key: developmentKeys().operatorToken });
  const issued = async (label: string) =>
    (await operator<KeyList>("GET", "/v1/api-keys?limit=100")).data.filter((key) => key.label === label);
  /** The status of the registry's response to a key. */
  const statusOf = async (key: string): Promise<number> => {
    const response = await fetch(`${app.server.url}/v1/domains`, { headers: { Authorization: `Bearer ${key}` } });
    return response.status;
  };
  const dialog = (page: Page) => page.getByRole("dialog");
  const secretIn = async (page: Page): Promise<string> =>
    (await dialog(page).locator(".secret code").textContent()) ?? "";
  const button = (page: Page, name: string | RegExp) =>
    page.getByRole("button", { name, exact: typeof name === "string" });

  test("without the operator's token, a tab shows its own key, and what requires the token [CN-170]", async () => {
    const { page, goto } = await app.open({ path: "/keys", signedIn: { apiKey: developmentKeys().apiKey } });
    await page.getByText("needs the operator's token").waitFor();
    const own = page.getByRole("region", { name: "Your key" });
    await own.getByText(DEVELOPER).waitFor();
    await own.getByText("Cannot propose, vote or issue keys.").waitFor();
    expect(await page.getByRole("link", { name: "Issue a key" }).count()).toBe(0);
    await goto("/keys/new");
    await page.getByText("needs the operator's token").waitFor();
    expect(await page.locator("form").count()).toBe(0);

    const stranger = await app.open({ path: "/keys/webhooks", signedIn: false });
    await stranger.page.getByText("Webhooks need an API key with the scope registry:admin").waitFor();
    await stranger.page.locator("main").getByRole("button", { name: "Sign in" }).click();
    await dialog(stranger.page).waitFor();
  });

  test("by keyboard alone, a key is issued once and works, and its secret appears nowhere afterwards [CN-172, CN-173, CN-174, CN-175]", async () => {
    const { page, faults } = await app.open({ path: "/keys" });
    await tabTo(page, page.getByRole("link", { name: "Issue a key" }).first());
    await page.keyboard.press("Enter");
    await tabTo(page, button(page, "Issue the key"));
    await page.keyboard.press("Enter");
    // The first wrong field has the focus and says why.
    const label = page.getByLabel("Label");
    await label.and(page.locator(":focus")).waitFor();
    await page.keyboard.type("Field app");
    expect(await page.getByText("This must not be empty.").count()).toBe(0);
    await tabTo(page, page.getByLabel("The DID of my key"));
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("ArrowDown");
    await page.getByText("did:key:z6Mk").waitFor();
    const proposing = page.getByLabel("verification:propose");
    expect(await page.getByText("Opens proposals to verify a domain or to revoke its verification.").count()).toBe(1);
    await tabTo(page, proposing);
    await page.keyboard.press("Space");
    await page.keyboard.press("Enter");
    await page.getByText("The scope verification:propose needs a role.").last().waitFor();
    await tabTo(page, page.getByLabel("Role in governance"));
    await page.keyboard.type("Program");
    await tabTo(page, button(page, "Issue the key"));
    await page.keyboard.press("Enter");

    await dialog(page).waitFor();
    const secret = await secretIn(page);
    expect(secret).toMatch(/^twe_test_[0-9A-Za-z]{49}$/);
    faults.watchSecret(secret);
    expect(await statusOf(secret)).toBe(200);
    // Neither Escape nor the back button closes it, nor "Done" before the secret is stored.
    await page.keyboard.press("Escape");
    await page.keyboard.press("Escape");
    await tabTo(page, button(page, "Done"));
    await page.keyboard.press("Enter");
    await page.getByText("First store it and confirm above").waitFor();
    await page.evaluate("history.back()");
    await page.getByText("If you have not stored it, it is lost.").waitFor();
    await page.keyboard.press("Escape");
    expect(await secretIn(page)).toBe(secret);
    await tabTo(page, button(page, "Copy the key"));
    await Promise.all([dialog(page).getByText("Copied").waitFor(), page.keyboard.press("Enter")]);
    await tabTo(page, page.getByLabel("I have stored it"));
    await page.keyboard.press("Space");
    await tabTo(page, button(page, "Done"));
    await page.keyboard.press("Enter");

    await page.getByRole("heading", { level: 1, name: "Field app" }).waitFor();
    const kept = await page.evaluate<string>(
      "document.documentElement.outerHTML + JSON.stringify({ ...sessionStorage }) + JSON.stringify({ ...localStorage }) + JSON.stringify(history.state)",
    );
    expect(kept).not.toContain(secret);
    const [key, ...others] = await issued("Field app");
    expect(others).toEqual([]);
    expect(key?.scopes).toEqual(["domains:read", "verification:propose"]);
    expect(new URL(page.url()).pathname).toBe(`/console/keys/${key?.id}`);
    await page.goBack();
    await page.getByRole("heading", { level: 1, name: "Keys and webhooks" }).waitFor();
    await faults.lookAtStorage();
  });

  test("a double click issues or sends once; a refusal of the registry is shown at its field until it changes [CN-173, CN-175, CN-206]", async () => {
    const { page, faults } = await app.open({ path: "/keys/new", allow: [/400/] });
    const errors = [{ pointer: "/expiresAt", code: "out_of_range", detail: "That is too far away." }];
    let refuse = (): void => undefined;
    const held = new Promise<void>((resolve) => (refuse = resolve));
    const answer = async (request: Route): Promise<void> => {
      await held;
      await request.fulfill({ status: 400, json: { errors } });
    };
    await intercept(page, "**/v1/api-keys", answer, { times: 1 });
    const label = page.getByLabel("Label");
    await label.fill("Pressed");
    await page.keyboard.press("Enter");
    await button(page, "Issuing…").and(page.locator(":focus")).waitFor();
    await label.focus();
    expect(await label.and(page.locator(":focus")).count()).toBe(0);
    refuse();
    await page.getByText("That is too far away.").waitFor();
    await page.getByLabel("How long the key is valid").and(page.locator(":focus")).waitFor();
    await label.fill("Pressed twice");
    expect(await page.getByText("That is too far away.").count()).toBe(1);
    await button(page, "Issue the key").dblclick();
    await dialog(page).waitFor();
    faults.watchSecret(await secretIn(page));
    expect(await issued("Pressed twice")).toHaveLength(1);
  });

  test("by touch at 320, a key is rotated with an overlap, then revoked at once [CN-174, CN-176, CN-177]", async () => {
    const body = { label: "Dashboard", did: "did:web:dashboard.example", scopes: ["domains:read"] };
    const { key: old, id } = await operator<{ readonly key: string; readonly id: string }>(
      "POST",
      "/v1/api-keys",
      body,
    );
    const { page, faults } = await app.open({ path: "/keys?did=did:web:dashboard.example", width: 320, touch: true });
    await page.getByRole("link", { name: "Dashboard" }).tap();
    await button(page, "Rotate").tap();
    await page.getByText("The old key stops working in 24 hours").waitFor();
    await dialog(page).getByLabel("How long the old key keeps working").selectOption({ label: "1 hour" });
    await page.getByText("The old key stops working in 1 hour").waitFor();
    await button(page, "Issue the new key").tap();
    await dialog(page).locator(".secret").waitFor();
    const secret = await secretIn(page);
    faults.watchSecret(secret);
    faults.watchSecret(old);
    expect([await statusOf(old), await statusOf(secret)]).toEqual([200, 200]);
    await page.getByLabel("I have stored it").tap();
    await button(page, "Done").tap();
    // The page of the successor, the key that can be rotated next.
    await expect.poll(() => page.url()).not.toContain(id);
    await button(page, "Revoke").tap();
    await page.getByText("Programs that use it get 401 from their next request.").waitFor();
    await button(page, "Revoke the key").tap();
    await page.getByText("Revoked", { exact: true }).first().waitFor();
    expect([await statusOf(old), await statusOf(secret)]).toEqual([200, 401]);
    await button(page, "Rotate").waitFor({ state: "detached" });
    await page.getByRole("link", { name: "API keys" }).tap();
    await page.getByText("Replaced").waitFor();
    expect(await page.evaluate("document.documentElement.scrollWidth <= innerWidth")).toBe(true);
  });

  test("filters and pages of the keys are in the address, which another browser opens [CN-171]", async () => {
    for (let at = 0; at < 21; at += 1) {
      const body = { label: `Meter ${at}`, did: "did:web:meters.example", scopes: ["domains:read"] };
      await operator("POST", "/v1/api-keys", body);
    }
    const { page } = await app.open({ path: "/keys" });
    await page.getByLabel("DID").fill("did:web:meters.example");
    await page.keyboard.press("Enter");
    await page.getByLabel("State").selectOption("active");
    await page.getByRole("link", { name: "Meter 20" }).waitFor();
    await button(page, "Next page").click();
    await page.getByRole("link", { name: "Meter 0", exact: true }).waitFor();
    const { pathname, search } = new URL(page.url());
    const elsewhere = await app.open({ path: `${pathname.slice("/console".length)}${search}` });
    await elsewhere.page.getByRole("link", { name: "Meter 0", exact: true }).waitFor();
    expect(await elsewhere.page.getByRole("listitem").filter({ hasText: "Meter" }).count()).toBe(1);
    expect(await elsewhere.page.getByLabel("State").inputValue()).toBe("active");
    expect(await elsewhere.page.getByLabel("DID").inputValue()).toBe("did:web:meters.example");
    await page.goBack();
    await page.getByRole("link", { name: "Meter 20" }).waitFor();
  });

  describe("a webhook", () => {
    const journey = app.journey({ path: "/keys/webhooks/new", allow: [/^answer: 400 POST \/v1\/webhooks/] });
    const domain = { body: { type: "Project", class: "did:ixo:protocol/stoves" } };
    const rows = () => journey.page.getByRole("list", { name: "Deliveries, newest first" }).getByRole("listitem");
    const dead = () => rows().filter({ hasText: "Dead letter" });
    const sent = (type: string) => receiver.received.filter((message) => message.type === type);

    test("is created only for an allowed address, and its secret is shown once [CN-173, CN-174]", async () => {
      const { page, faults } = journey;
      await page.getByLabel("Address").fill("https://elsewhere.example/hook");
      await button(page, "Create the webhook").click();
      await page.getByText("must lead to a host that REGISTRY_WEBHOOK_HOSTS names").waitFor();
      await page.getByLabel("Address").fill(receiver.url);
      await page.getByLabel("Only these").check();
      await page.getByLabel("Created", { exact: true }).check();
      await button(page, "Create the webhook").click();
      await dialog(page).waitFor();
      receiver.secret = await secretIn(page);
      faults.watchSecret(receiver.secret);
      await page.getByLabel("I have stored it").check();
      await button(page, "Done").click();
      await page.getByText("Nothing has been sent yet").waitFor();
      expect(await page.locator("body").innerText()).not.toContain(receiver.secret);
    });

    test("shows a delivery automatically, which the receiver can verify [CN-178]", async () => {
      // Another user creates a domain.
      await callRegistry(app.server, "POST", "/v1/domains", domain);
      await rows().filter({ hasText: "Domain: created" }).getByText("Delivered").first().waitFor();
      expect(receiver.received).toMatchObject([{ type: "domain.created", verified: true }]);
    });

    test("sends one test message for a double click, which is a dead letter when the receiver refuses it [CN-175, CN-178]", async () => {
      const { page } = journey;
      receiver.answers.push(500, 500, 503);
      await button(page, "Send a test").dblclick({ delay: 200 });
      await expect.poll(() => dead().count()).toBe(1);
      await button(page, "Send a test").click();
      await expect.poll(() => dead().count()).toBe(2);
      await button(page, "Send a test").click();
      await expect.poll(() => dead().count()).toBe(3);
      expect(sent("webhook.ping")).toHaveLength(3);
    });

    test("sends a dead letter again, and all of them after a question that counts them [CN-179]", async () => {
      const { page } = journey;
      await dead()
        .filter({ hasText: "1 attempt, answered 503" })
        .getByRole("button", { name: /^Replay/ })
        .click();
      await expect.poll(() => dead().count()).toBe(2);
      await button(page, "Replay all 2 dead letters").click();
      await button(page, "Send 2 messages").click();
      await expect.poll(() => dead().count()).toBe(0);
      await expect.poll(() => sent("webhook.ping")).toHaveLength(6);
      expect(new Set(receiver.received.map(({ id }) => id)).size).toBe(4);
    });

    test("is edited without undoing another user's changes [CN-205]", async () => {
      const { page } = journey;
      await page.getByRole("link", { name: "Edit", exact: true }).click();
      await page.getByLabel("Description").fill("Field office");
      const webhook = `/v1/webhooks/${new URL(page.url()).pathname.split("/").at(-2)}`;
      const actions = ["created", "deactivated"];
      await callRegistry(app.server, "PATCH", webhook, { body: { actions } });
      await button(page, "Save").click();
      await page.getByRole("heading", { level: 1, name: "Field office" }).waitFor();
      expect(await callRegistry<object>(app.server, "GET", webhook)).toMatchObject({ actions });
    });

    test("queues changes while it is paused, and sends them with the secret current at sending [CN-174, CN-198]", async () => {
      const { page, faults } = journey;
      await button(page, "Pause").click();
      await page.getByText("The webhook is paused. Changes wait until it is resumed.").waitFor();
      await callRegistry(app.server, "POST", "/v1/domains", domain);
      await button(page, "Rotate the secret").click();
      await dialog(page).getByLabel("How long messages are signed").selectOption({ label: "Not at all" });
      await dialog(page).getByText("From the next message on, only the new secret signs").waitFor();
      await button(page, "Create a new secret").click();
      await dialog(page).locator(".secret").waitFor();
      expect(await secretIn(page)).not.toBe(receiver.secret);
      receiver.secret = await secretIn(page);
      faults.watchSecret(receiver.secret);
      await page.getByLabel("I have stored it").check();
      await button(page, "Done").click();
      expect(sent("domain.created")).toHaveLength(1);
      await button(page, "Resume").click();
      await expect.poll(() => sent("domain.created").filter(({ verified }) => verified)).toHaveLength(2);
    });

    test("filters its deliveries by the address, and is deleted after a question that names it [CN-180]", async () => {
      const { page } = journey;
      await button(page, "Pause").click();
      await page.getByText("The webhook is paused. Changes wait until it is resumed.").waitFor();
      await page.getByRole("link", { name: "Delivered", exact: true }).click();
      expect(new URL(page.url()).search).toBe("?state=delivered");
      await expect.poll(() => rows().count()).toBe(5);
      await button(page, "Delete").click();
      await page.getByText(`The registry stops sending changes to ${receiver.url}.`).waitFor();
      await button(page, "Delete the webhook").click();
      await page.getByText("No webhooks yet").waitFor();
    });
  });
});

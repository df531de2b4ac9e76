/**
 * The addresses that the tests of every screen open (test/e2e/console/every-screen.test.ts and every-registry-screen.test.ts): each
 * screen, its tabs and its main states. Add a row with each new screen or tab.
 */
import type { Page } from "playwright-core";
import type { RegistrySample } from "./registry-sample.ts";

export interface ScreenAddress {
  /** The name of its screenshots: `<screen>-<state>`. */
  readonly name: string;
  /** Below /console. */
  readonly path: string | ((sample: RegistrySample) => string);
  /** Opened without a key. */
  readonly isSignedOut?: true;
  /** Waits for the state, or brings it about; loading is awaited anyway. */
  readonly ready?: (page: Page) => Promise<unknown>;
  /** Answers that belong to the state, such as `/^answer: 404 GET \/v1\/domains/`. */
  readonly allow?: readonly RegExp[];
}

/** The half that a separate test file checks. */
export function isOfRegistry({ name }: ScreenAddress): boolean {
  return /^(?:registry|domain|votes|proposal)/.test(name);
}

/** For REGISTRY_WEBHOOK_HOSTS: the discard port, which is closed. */
export const UNREACHABLE_HOST = "localhost:9";

/** The request that asks who is signed in, before the sign-in. */
const STAFF_SIGNED_OUT = /^answer: 401 GET \/staff\/me/;

const domain = (id: string, rest = ""): string => `/registry/domains/${encodeURIComponent(id)}${rest}`;

export const addresses: readonly ScreenAddress[] = [
  { name: "home", path: "/" },
  { name: "home-signed-out", path: "/", isSignedOut: true },
  { name: "not-found", path: "/nowhere" },
  {
    name: "sign-in",
    path: "/",
    isSignedOut: true,
    ready: (page) => page.getByRole("banner").getByRole("button", { name: "Sign in" }).click(),
  },
  { name: "account", path: "/", ready: (page) => page.getByRole("button", { name: "Account" }).click() },
  { name: "palette", path: "/", ready: (page) => page.keyboard.press("Control+k") },

  { name: "registry", path: "/registry" },
  { name: "registry-signed-out", path: "/registry", isSignedOut: true },
  { name: "registry-found", path: "/registry?q=stoves&verificationStatus=Verified" },
  { name: "registry-nothing-found", path: "/registry?q=nothing-is-called-so" },
  { name: "registry-new", path: "/registry/new" },
  {
    name: "registry-new-wrong",
    path: "/registry/new",
    ready: async (page) => {
      await page.getByText("Services, resources, credentials, accounts").click();
      await page.getByRole("button", { name: "Add a service" }).click();
      await page.getByLabel("Class").fill("no did");
      await page.getByRole("button", { name: "Create the domain" }).click();
      await page.getByText("Enter a DID, such as").waitFor();
    },
  },
  {
    name: "registry-suspend",
    path: ({ verified }) => domain(verified),
    ready: async (page) => {
      await page.getByRole("button", { name: "Suspend or deactivate" }).click();
      await page.getByRole("button", { name: "Suspend", exact: true }).click();
      await page.getByRole("dialog").waitFor();
    },
  },
  {
    name: "registry-import",
    path: "/registry/import",
    ready: async (page) => {
      const file = { name: "a.ndjson", mimeType: "text/plain", buffer: Buffer.from("{}\nno") };
      await page.getByLabel("File", { exact: true }).setInputFiles(file);
      await page.getByRole("button", { name: "Check only" }).click();
      await page.getByText("Checked. Nothing was stored.").waitFor();
    },
  },
  { name: "domain", path: ({ verified }) => domain(verified) },
  ...["class", "document", "history", "services", "did", "json"].map((tab) => ({
    name: `domain-${tab}`,
    path: ({ verified }: RegistrySample) => domain(verified, `?tab=${tab}`),
  })),
  { name: "domain-rejected", path: ({ rejected }) => domain(rejected) },
  { name: "domain-edit", path: ({ fresh }) => domain(fresh, "/edit") },
  { name: "domain-unknown", path: domain("did:ixo:entity:0"), allow: [/^answer: 404 GET \/v1\/domains/] },

  { name: "votes", path: "/votes" },
  { name: "votes-filtered", path: "/votes?state=rejected&kind=verify" },
  {
    name: "votes-new",
    path: ({ fresh }) => `/votes/new?domain=${encodeURIComponent(fresh)}`,
    ready: async (page) => {
      await page.getByRole("button", { name: "Add evidence" }).click();
      await page.getByText("Programme and credentials").click();
    },
  },
  { name: "votes-roll", path: "/votes/roll" },
  { name: "votes-audit", path: "/votes/audit" },
  { name: "votes-signed-out", path: "/votes", isSignedOut: true },
  { name: "votes-nothing-found", path: "/votes?state=expired" },
  { name: "proposal-open", path: ({ openProposal }) => `/votes/${openProposal}` },
  { name: "proposal-passed", path: ({ passedProposal }) => `/votes/${passedProposal}` },
  { name: "proposal-rejected", path: ({ rejectedProposal }) => `/votes/${rejectedProposal}` },

  { name: "phone", path: ({ fresh }) => `/phone?about=${encodeURIComponent(fresh)}` },
  {
    name: "phone-two",
    path: "/phone?phones=2&play=d&play=i1",
    ready: async (page) => {
      await page.getByRole("button", { name: "Dial", exact: true }).first().click();
      await page.getByRole("status", { name: "Display" }).filter({ hasText: "1. Know More" }).waitFor();
    },
  },
  { name: "phone-operator", path: "/phone/operator" },
  {
    name: "phone-reset-pin",
    path: "/phone/operator/customers?customer=C12345678X",
    ready: (page) => page.getByRole("button", { name: "Reset the PIN" }).click(),
  },
  { name: "phone-statistics", path: "/phone/operator/statistics" },

  { name: "chat", path: "/chat" },
  { name: "chat-about", path: ({ fresh }) => `/chat?about=${encodeURIComponent(fresh)}` },
  ...["sessions", "models", "preferences", "memory", "credits", "identity", "inspector"].map((panel) => ({
    name: `chat-${panel}`,
    path: `/chat?panel=${panel}`,
  })),
  {
    name: "chat-answered",
    path: "/chat",
    ready: async (page) => {
      await page.getByRole("textbox", { name: "Message" }).fill("Call me Amina");
      await page.getByRole("button", { name: "Send" }).click();
      const main = page.locator("main");
      await main.getByText("set_user_preferences", { exact: true }).first().waitFor();
      // The answer has ended, and its text is rendered as Markdown.
      await main.getByRole("button", { name: "Stop" }).waitFor({ state: "detached" });
      await main.locator(".markdown").first().waitFor();
      await main.locator(".markdown.plain").first().waitFor({ state: "detached" });
    },
  },

  { name: "queries", path: "/queries", ready: (page) => page.getByRole("button", { name: "Latest block" }).waitFor() },
  {
    name: "queries-paths",
    path: "/queries",
    ready: async (page) => {
      await page.getByRole("button", { name: "Latest block" }).waitFor();
      await page.getByRole("combobox", { name: "Path" }).fill("entity");
      await page.keyboard.press("ArrowDown");
      await page.locator("[role=option][data-highlighted]").waitFor();
    },
  },
  {
    name: "queries-answer",
    path: "/queries?path=/ixo/claims/claims&p.pagination.limit=2&height=&access=apiKey&sent=1",
    ready: async (page) => {
      await page.getByRole("treeitem", { name: /^0:/ }).click();
      await page.getByText("Show the code").click();
    },
  },
  {
    name: "queries-headers",
    path: "/queries?path=/ixo/claims/claims&sent=1&view=headers",
    ready: (page) => page.getByText("x-cosmos-block-height", { exact: true }).waitFor(),
  },
  {
    name: "queries-older-path",
    path: "/queries?path=/ixo/claim&sent=1",
    ready: (page) => page.getByText(/is deprecated since/).waitFor(),
  },
  {
    name: "queries-refused",
    path: "/queries?path=/ixo/entity/{id}&p.id=nobody&sent=1",
    ready: (page) => page.getByText("NOT_FOUND (5)").waitFor(),
    allow: [/^answer: 404 GET \/ixo\/entity\/nobody/],
  },

  { name: "keys", path: "/keys" },
  { name: "keys-signed-out", path: "/keys", isSignedOut: true },
  { name: "keys-new", path: "/keys/new" },
  {
    name: "keys-new-wrong",
    path: "/keys/new",
    ready: async (page) => {
      await page.getByLabel("verification:propose").check();
      await page.getByRole("button", { name: "Issue the key" }).click();
      await page.getByText("This must not be empty.").waitFor();
    },
  },
  {
    name: "keys-secret",
    path: "/keys/new",
    ready: async (page) => {
      await page.getByLabel("Label").fill("Field app, Kisumu");
      await page.getByRole("button", { name: "Issue the key" }).click();
      await page.getByRole("dialog").waitFor();
    },
  },
  { name: "key", path: "/keys", ready: (page) => page.getByRole("link", { name: "Amina" }).click() },
  {
    name: "key-rotate",
    path: "/keys",
    ready: async (page) => {
      await page.getByRole("link", { name: "Amina" }).click();
      await page.getByRole("button", { name: "Rotate" }).click();
    },
  },
  { name: "key-unknown", path: "/keys/key_0", allow: [/^answer: 404 GET \/v1\/api-keys/] },
  { name: "webhooks", path: "/keys/webhooks" },
  { name: "webhooks-signed-out", path: "/keys/webhooks", isSignedOut: true },
  {
    name: "webhook-new",
    path: "/keys/webhooks/new",
    ready: (page) => page.getByLabel("Only these").check(),
  },
  { name: "webhook", path: "/keys/webhooks/new", ready: webhookWithDeadLetter },

  { name: "staff-signed-out", path: "/staff", isSignedOut: true, allow: [STAFF_SIGNED_OUT] },
  { name: "staff-sessions", path: "/staff", ready: asDeveloper, allow: [STAFF_SIGNED_OUT] },
  { name: "staff-roles", path: "/staff/roles", ready: asDeveloper, allow: [STAFF_SIGNED_OUT] },
  { name: "staff-people", path: "/staff/members", ready: asDeveloper, allow: [STAFF_SIGNED_OUT] },
  { name: "staff-link", path: "/staff/members", ready: invitesOthers, allow: [STAFF_SIGNED_OUT] },
  { name: "staff-audit", path: "/staff/audit", ready: asDeveloper, allow: [STAFF_SIGNED_OUT] },
  { name: "invitation-missing", path: "/invitation", isSignedOut: true },
];

/** The development sign-in of staff, unless an earlier address has signed this browser in. */
async function asDeveloper(page: Page): Promise<void> {
  const signIn = page.getByRole("button", { name: "Sign in as the developer" });
  const signedIn = page.getByText("You are Developer, administrator.");
  await signIn.or(signedIn).waitFor();
  if (await signIn.isVisible()) await signIn.click();
  await signedIn.waitFor();
}

async function invitesOthers(page: Page): Promise<void> {
  await asDeveloper(page);
  await page.getByLabel("Name", { exact: true }).fill("Amina Banda");
  await page.getByRole("button", { name: "Invite", exact: true }).click();
  await page.getByRole("dialog").waitFor();
}

/** An unreachable receiver: messages to it become dead letters. */
async function webhookWithDeadLetter(page: Page): Promise<void> {
  await page.getByLabel("Address").fill(`http://${UNREACHABLE_HOST}/hook`);
  await page.getByLabel("Description").fill("Dashboard");
  await page.getByRole("button", { name: "Create the webhook" }).click();
  await page.getByLabel("I have stored it").check();
  await page.getByRole("button", { name: "Done" }).click();
  await page.getByRole("button", { name: "Send a test" }).click();
  await page.getByText("Dead letter", { exact: true }).waitFor();
}

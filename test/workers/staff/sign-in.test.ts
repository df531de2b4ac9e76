/** People sign in to the console with passkeys, and their sessions end. */
import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";
import { SESSION_IDLE_MS, SESSION_LIFETIME_MS } from "../../../platform/staff/session.ts";
import { softwareAuthenticator } from "../../support/staff/software-authenticator.ts";
import { ADMIN_TOKEN, ORIGIN, staffEdge } from "../../support/staff/staff-edge.ts";

const edge = staffEdge();

describe("an invitation", () => {
  test("creates a passkey, with which its person signs in later [ALL-45]", async () => {
    const invited = await edge.invite("viewer", "Ada");
    const [authenticator, page] = [await softwareAuthenticator(), edge.browser()];
    expect(invited.link).toBe(`${ORIGIN}/console/invitation#${invited.token}`);
    const accepted = await edge.accept(page, invited.token, authenticator);
    expect([accepted.status, accepted.body.name, accepted.body.role]).toEqual([200, "Ada", "viewer"]);
    expect((await page.call("GET", "/staff/me")).body.self).toMatchObject({ id: invited.id, role: "viewer" });

    const other = edge.browser();
    expect((await edge.signIn(other, authenticator)).status).toBe(200);
    expect((await other.call("GET", "/staff/me")).body.self.name).toBe("Ada");
  });

  test("works once, until it is replaced or expires [ALL-45]", async () => {
    const invited = await edge.invite("viewer");
    const headers = { Authorization: `Bearer ${ADMIN_TOKEN}` };
    const again = await edge.browser().call("POST", `/staff/members/${invited.id}/invitations`, { headers });
    const begin = (token: string) => edge.browser().call("POST", "/staff/invitations/options", { body: { token } });
    expect((await begin(invited.token)).status).toBe(410);
    expect((await begin(again.body.token)).status).toBe(200);
    await edge.accept(edge.browser(), again.body.token, await softwareAuthenticator());
    expect((await begin(again.body.token)).status).toBe(410);

    const late = await edge.invite("viewer");
    edge.clock.now += 3 * 86_400_000;
    expect((await begin(late.token)).status).toBe(410);
  });

  test("needs an administrator or ADMIN_TOKEN [ALL-47]", async () => {
    const body = { name: "Eve", role: "administrator" };
    const statuses = await Promise.all([
      edge.browser().call("POST", "/staff/members", { body }),
      edge.browser().call("POST", "/staff/members", { body, headers: { Authorization: "Bearer wrong" } }),
      (await edge.signedIn("compliance")).page.call("POST", "/staff/members", { body }),
      (await edge.signedIn("administrator")).page.call("POST", "/staff/members", { body }),
    ]);
    expect(statuses.map(({ status }) => status)).toEqual([401, 401, 403, 201]);
  });
});

test("a second invitation replaces the passkeys and ends the sessions of its person [ALL-45]", async () => {
  const { page, authenticator, id } = await edge.signedIn("viewer");
  const headers = { Authorization: `Bearer ${ADMIN_TOKEN}` };
  const again = await edge.browser().call("POST", `/staff/members/${id}/invitations`, { headers });
  const [fresh, other] = [await softwareAuthenticator(), edge.browser()];
  expect((await edge.accept(other, again.body.token, fresh)).status).toBe(200);
  expect((await page.call("GET", "/staff/me")).status).toBe(401);
  expect((await edge.signIn(edge.browser(), authenticator)).status).toBe(401);
  expect((await edge.signIn(edge.browser(), fresh)).status).toBe(200);
});

test("an invited person cannot take over a passkey's id [ALL-45]", async () => {
  const { authenticator, page } = await edge.signedIn("administrator");
  const { token } = await edge.invite("viewer");
  // The same authenticator, whose credential has the same id.
  expect((await edge.accept(edge.browser(), token, authenticator)).status).toBe(410);
  expect((await page.call("GET", "/staff/me")).body.self.role).toBe("administrator");
});

test.each(["Ada\u001b[2J", "Ada\u202e"])("an invitation refuses the name %j [ALL-45]", async (name) => {
  const headers = { Authorization: `Bearer ${ADMIN_TOKEN}` };
  const body = { name, role: "viewer" };
  expect((await edge.browser().call("POST", "/staff/members", { headers, body })).status).toBe(400);
});

test("a short ADMIN_TOKEN gets a 429 after a hundred wrong tokens from its network [ALL-45]", async () => {
  const weak = staffEdge({ ADMIN_TOKEN: "short" });
  const list = async (token: string, address = "192.0.2.9") => {
    const headers = { Authorization: `Bearer ${token}`, "CF-Connecting-IP": address };
    return (await weak.browser().call("GET", "/staff/members", { headers })).status;
  };
  for (let count = 0; count < 100; count += 1) expect(await list("wrong")).toBe(401);
  expect([await list("short"), await list("short", "192.0.2.10")]).toEqual([429, 200]);
});

describe("two requests at once", () => {
  test("accept an invitation once [ALL-45]", async () => {
    const { token, id } = await edge.invite("viewer");
    const pages = await Promise.all(
      [0, 1].map(async () => ({ page: edge.browser(), key: await softwareAuthenticator() })),
    );
    // Both have begun before one is accepted.
    const passkeys = await Promise.all(
      pages.map(async ({ page, key }) => {
        const { body } = await page.call("POST", "/staff/invitations/options", { body: { token } });
        return key.create({ challenge: body.options.challenge, origin: ORIGIN });
      }),
    );
    const answers = await Promise.all(
      pages.map(({ page }, index) =>
        page.call("POST", "/staff/invitations/accept", { body: { token, passkey: passkeys[index] } }),
      ),
    );
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200, 410]));
    const count = env.DATABASE.prepare("SELECT count(*) AS count FROM staff_passkeys WHERE staff_id = ?1").bind(id);
    expect(await count.first("count")).toBe(1);
  });

  test("use a challenge once [ALL-45]", async () => {
    const { authenticator, page } = await edge.signedIn("viewer");
    const { challenge } = (await page.call("POST", "/staff/sign-in/options")).body;
    const body = await authenticator.sign({ challenge, origin: ORIGIN });
    const answers = await Promise.all([0, 1].map(() => edge.browser().call("POST", "/staff/sign-in", { body })));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200, 401]));
  });
});

test("no secret of a sign-in is in a log line, in the database or in a later response [ALL-46]", async () => {
  const quiet = staffEdge();
  const { token, id } = await quiet.invite("administrator", "Grace");
  const [authenticator, page] = [await softwareAuthenticator(), quiet.browser()];
  await quiet.accept(page, token, authenticator);
  const first = page.cookie?.split("=")[1] ?? "";
  await quiet.signIn(page, authenticator);
  const second = page.cookie?.split("=")[1] ?? "";
  const later = ["/staff/me", "/staff/sessions", "/staff/members", "/staff/audit"];
  const answers = await Promise.all(later.map((path) => page.call("GET", path)));
  await quiet.settled();
  const tables = [
    "staff",
    "staff_passkeys",
    "staff_invitations",
    "staff_sessions",
    "audit_rows",
    "staff_used_challenges",
  ];
  const rows = await Promise.all(tables.map((table) => env.DATABASE.prepare(`SELECT * FROM ${table}`).all()));
  const seen = JSON.stringify([quiet.lines, answers.map(({ body }) => body), rows.map(({ results }) => results)]);
  expect(seen).toContain(id);
  expect([token, first, second, ADMIN_TOKEN].filter((secret) => seen.includes(secret))).toEqual([]);
  expect(JSON.stringify(quiet.lines)).not.toContain("Grace");
});

describe("a passkey is refused", () => {
  test("with a challenge that was used, has expired or belongs to an invitation [ALL-45]", async () => {
    const { authenticator, page } = await edge.signedIn("viewer");
    const begin = async () => (await page.call("POST", "/staff/sign-in/options")).body.challenge;
    const use = async (challenge: string) => {
      const body = await authenticator.sign({ challenge, origin: ORIGIN });
      return (await edge.browser().call("POST", "/staff/sign-in", { body })).status;
    };
    const challenge = await begin();
    expect([await use(challenge), await use(challenge)]).toEqual([200, 401]);
    const late = await begin();
    edge.clock.now += 5 * 60_000;
    expect(await use(late)).toBe(401);
    const { token } = await edge.invite("viewer");
    const invitation = await page.call("POST", "/staff/invitations/options", { body: { token } });
    expect(await use(invitation.body.options.challenge)).toBe(401);
    expect(await use("A".repeat(75))).toBe(401);
  });

  test("from another origin, of another person's key, or of a disabled person [ALL-45]", async () => {
    const { authenticator, id } = await edge.signedIn("viewer");
    expect((await edge.signIn(edge.browser(), authenticator, "https://evil.test")).status).toBe(401);
    expect((await edge.signIn(edge.browser(), await softwareAuthenticator())).status).toBe(401);
    const { page: administrator } = await edge.signedIn("administrator");
    await administrator.call("PATCH", `/staff/members/${id}`, { body: { disabled: true } });
    expect((await edge.signIn(edge.browser(), authenticator)).status).toBe(401);
  });
});

describe("a session", () => {
  test("has a cookie that scripts cannot read and other sites do not send; only its digest is stored [ALL-46]", async () => {
    const { page, authenticator } = await edge.signedIn("viewer");
    const answer = await edge.signIn(page, authenticator);
    const [pair = "", ...attributes] = (answer.headers.get("Set-Cookie") ?? "").split("; ");
    expect(pair).toMatch(/^__Host-twinedge-staff=[\w-]{43}$/);
    expect(attributes).toEqual(["Path=/", "HttpOnly", "SameSite=Strict", "Secure", "Max-Age=43200"]);
    const { results } = await env.DATABASE.prepare("SELECT * FROM staff_sessions").all();
    expect(JSON.stringify(results)).not.toContain(pair.split("=")[1]);
  });

  test("ends after two idle hours, and after twelve in any case [ALL-46]", async () => {
    const { page } = await edge.signedIn("viewer");
    const status = async () => (await page.call("GET", "/staff/me")).status;
    edge.clock.now += SESSION_IDLE_MS - 1;
    expect(await status()).toBe(200);
    edge.clock.now += SESSION_IDLE_MS;
    expect(await status()).toBe(401);

    const { page: busy } = await edge.signedIn("viewer");
    const end = edge.clock.now + SESSION_LIFETIME_MS;
    while (edge.clock.now + SESSION_IDLE_MS <= end) {
      expect((await busy.call("GET", "/staff/me")).status).toBe(200);
      edge.clock.now += SESSION_IDLE_MS - 60_000;
    }
    edge.clock.now = end;
    expect((await busy.call("GET", "/staff/me")).status).toBe(401);
  });

  test("ends by sign-out, in the list of sessions, everywhere, and when its person is disabled [ALL-46]", async () => {
    const { page, authenticator, id } = await edge.signedIn("viewer");
    const others = [edge.browser(), edge.browser(), edge.browser()] as const;
    for (const other of others) await edge.signIn(other, authenticator);
    const status = async (browser: (typeof others)[number]) => (await browser.call("GET", "/staff/me")).status;
    await others[0].call("POST", "/staff/sign-out");
    const { body } = await page.call("GET", "/staff/sessions");
    expect(body.data.map(({ isCurrent }: { isCurrent: boolean }) => isCurrent)).toContain(true);
    expect(body.data).toHaveLength(3);
    const mine = (await others[1].call("GET", "/staff/me")).body.self.sessionId;
    expect((await page.call("DELETE", `/staff/sessions/${mine}`)).status).toBe(204);
    expect([await status(others[1]), await status(others[2])]).toEqual([401, 200]);
    await page.call("DELETE", "/staff/sessions");
    expect([await status(page), await status(others[2])]).toEqual([401, 401]);

    await edge.signIn(page, authenticator);
    const { page: administrator } = await edge.signedIn("administrator");
    await administrator.call("PATCH", `/staff/members/${id}`, { body: { disabled: true } });
    expect(await status(page)).toBe(401);
  });

  test("ends when its browser signs in again, so its cookie is never reused [ALL-46]", async () => {
    const { page, authenticator } = await edge.signedIn("viewer");
    const earlier = edge.browser();
    earlier.cookie = page.cookie;
    await edge.signIn(page, authenticator);
    expect(page.cookie).not.toBe(earlier.cookie);
    expect([(await earlier.call("GET", "/staff/me")).status, (await page.call("GET", "/staff/me")).status]).toEqual([
      401, 200,
    ]);
  });

  test("of another person cannot be ended [ALL-46]", async () => {
    const { page } = await edge.signedIn("viewer");
    const { page: other } = await edge.signedIn("administrator");
    const { sessionId } = (await page.call("GET", "/staff/me")).body.self;
    expect((await other.call("DELETE", `/staff/sessions/${sessionId}`)).status).toBe(404);
  });

  test("the oldest ends at the twenty-first sign-in [ALL-46]", async () => {
    const { page, authenticator } = await edge.signedIn("viewer");
    for (let count = 0; count < 20; count += 1) {
      edge.clock.now += 1;
      await edge.signIn(edge.browser(), authenticator);
    }
    expect((await page.call("GET", "/staff/me")).status).toBe(401);
  });

  test.each([
    ["another site", { "Sec-Fetch-Site": "cross-site", Origin: "https://evil.test" }],
    ["a sibling host", { "Sec-Fetch-Site": "same-site", Origin: "https://other.edge.test" }],
    ["a page without a known origin", { "Sec-Fetch-Site": "same-origin", Origin: "null" }],
    ["a program without Fetch Metadata", { "Sec-Fetch-Site": "" }],
  ])("is refused from %s [ALL-46]", async (_, headers) => {
    const { page } = await edge.signedIn("administrator");
    const body = { label: "x", did: "did:web:x.test", scopes: ["domains:read"] };
    expect((await page.call("POST", "/v1/api-keys", { body, headers })).status).toBe(401);
    expect((await page.call("POST", "/v1/api-keys", { body })).status).toBe(201);
  });
});

describe("the developer's session", () => {
  const development = { ENVIRONMENT: "development" };
  const path = "/staff/development-session";

  test("is an administrator's, with one request of the console on loopback [ALL-48]", async () => {
    const local = staffEdge(development, "http://localhost:3000");
    const page = local.browser();
    expect((await page.call("POST", path)).status).toBe(200);
    expect(page.cookie).toMatch(/^twinedge-staff=/);
    expect((await page.call("GET", "/staff/me")).body.self).toMatchObject({ role: "administrator" });
  });

  test("ends when its database is deployed [ALL-48]", async () => {
    const page = staffEdge(development, "http://localhost:3000").browser();
    await page.call("POST", path);
    const deployed = edge.browser();
    deployed.cookie = page.cookie?.replace("twinedge-staff", "__Host-twinedge-staff");
    expect((await deployed.call("GET", "/staff/me")).status).toBe(401);
  });

  test("exists only there [ALL-48]", async () => {
    const tunnelled = { headers: { "X-Forwarded-For": "192.0.2.1" } };
    const local = staffEdge(development, "http://localhost:3000").browser();
    const answers = [
      await edge.browser().call("POST", path),
      await staffEdge({}, "http://localhost:3000").browser().call("POST", path),
      await staffEdge(development).browser().call("POST", path),
      await local.call("POST", path, tunnelled),
      await local.call("POST", path, { headers: { Origin: "http://localhost:4000" } }),
    ];
    expect(answers.map(({ status }) => status)).toEqual([404, 404, 403, 403, 403]);
  });
});

test("requests of one network are limited [ALL-49]", async () => {
  const crowded = staffEdge();
  const headers = { "CF-Connecting-IP": "192.0.2.7" };
  const statuses = new Set<number>();
  for (let count = 0; count < 301; count += 1) {
    statuses.add((await crowded.browser().call("GET", "/staff/me", { headers })).status);
  }
  expect([...statuses]).toEqual([401, 429]);
  const elsewhere = { headers: { "CF-Connecting-IP": "192.0.2.8" } };
  expect((await crowded.browser().call("GET", "/staff/me", elsewhere)).status).toBe(401);
});

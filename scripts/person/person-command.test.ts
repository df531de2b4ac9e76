/** The command line of `npm run person`, and its refusals, which never repeat a person. */
import { describe, expect, test } from "vitest";
import { personCommand } from "./arguments.ts";
import type { PersonProcess } from "./operator-client.ts";
import { exitCodes, runPerson } from "./run-person.ts";

const url = "http://localhost:3000";
const parse = (...words: readonly string[]) => personCommand.parse(words, {});

test.each<[readonly string[], object]>([
  [["export", "person.txt"], { kind: "export", file: "person.txt" }],
  [["erase", "-"], { kind: "erase", file: "-" }],
  [["list-erased"], { kind: "list-erased" }],
  [["apply", "list", "--restored", "dids"], { kind: "apply", file: "list", restored: "dids" }],
])("%j", (words, task) => {
  expect(parse(...words)).toEqual({ url, task });
});

test.each<[readonly string[], RegExp]>([
  [[], /name a command/],
  [["forget", "-"], /name a command/],
  [["erase"], /takes a file/],
  [["erase", "a", "b"], /one file/],
  [["list-erased", "list"], /prints the list/],
  [["export", "x", "--restored", "y"], /only apply takes --restored/],
  [["erase", "+260971230000"], /write the person's id or number to a file/],
  [["export", "did:key:z6Mk"], /write the person's id or number to a file/],
])("%j is refused in one sentence [ALL-81]", (words, reason) => {
  const parsed = parse(...words);
  expect(parsed).toBeInstanceOf(Error);
  expect((parsed as Error).message).toMatch(reason);
  expect((parsed as Error).message).not.toMatch(/2609|z6Mk/);
});

/** A server with these answers, in order. */
function scripted(input: string, answers: readonly Response[], environment: Record<string, string> = {}) {
  const requested: { readonly url: string; readonly token: string | null; readonly body: unknown }[] = [];
  const printed: string[] = [];
  const noted: string[] = [];
  const process: PersonProcess = {
    environment,
    localVariables: () => new Map([["USSD_OPERATOR_TOKEN", "of the local server"]]),
    standardInput: async () => input,
    readFile: async (path) => {
      throw new Error(path);
    },
    print: (line) => printed.push(line),
    note: (line) => noted.push(line),
    wait: async () => undefined,
    fetch: async (target, init) => {
      const { headers, body } = init ?? {};
      const sent = typeof body === "string" ? (JSON.parse(body) as unknown) : undefined;
      requested.push({ url: String(target), token: new Headers(headers).get("Authorization"), body: sent });
      const answer = answers[requested.length - 1];
      if (answer === undefined) throw new Error("connection refused");
      return answer;
    },
  };
  return { process, requested, printed, noted };
}

describe("a run", () => {
  const erase = { url, task: { kind: "erase", file: "-" } } as const;

  test("sends the person in the body, to the surface that knows them [ALL-81]", async () => {
    const erased = () => Response.json({ state: "erased" });
    const phone = scripted("+260 971 23-0000\n", [erased()]);
    expect(await runPerson(erase, phone.process)).toBe(exitCodes.done);
    expect(phone.requested).toEqual([
      {
        url: `${url}/api/ussd/ops/people/erase`,
        token: "Bearer of the local server",
        body: { phoneNumber: "+260971230000" },
      },
    ]);
    const user = scripted("did:key:z6Mk", [erased()], { ADMIN_TOKEN: "of the environment" });
    expect(await runPerson(erase, user.process)).toBe(exitCodes.done);
    expect(user.requested[0]).toMatchObject({ url: `${url}/people/erase`, body: { did: "did:key:z6Mk" } });
    const customer = scripted("C12345678", [erased()]);
    expect(await runPerson(erase, customer.process)).toBe(exitCodes.done);
    expect(customer.requested[0]?.body).toEqual({ customerId: "C12345678" });
  });

  test("explains an erasure that continues, a refusal, and a missing token", async () => {
    const pending = scripted("C12345678", [Response.json({ state: "pending" }, { status: 202 })]);
    expect(await runPerson(erase, pending.process)).toBe(exitCodes.failed);
    expect(pending.noted.join()).toMatch(/continues the erasure/);
    const unknown = scripted("C12345678", [Response.json({ error: "Not Found" }, { status: 404 })]);
    expect(await runPerson(erase, unknown.process)).toBe(exitCodes.failed);
    expect(unknown.noted).toEqual(["npm run person: Not Found (404)"]);
    const wrong = scripted("C12345678", [Response.json({ error: "Unauthorized" }, { status: 401 })]);
    expect(await runPerson(erase, wrong.process)).toBe(exitCodes.unauthorised);
    const without = scripted("did:key:z6Mk", []);
    expect(await runPerson(erase, without.process)).toBe(exitCodes.unauthorised);
    expect(without.noted).toEqual(["npm run person: no operator token; set ADMIN_TOKEN"]);
    const down = scripted("C12345678", []);
    expect(await runPerson(erase, down.process)).toBe(exitCodes.unreachable);
    const remote = scripted("C12345678", []);
    expect(await runPerson({ ...erase, url: "https://edge.example" }, remote.process)).toBe(exitCodes.unauthorised);
  });

  test.each(["", "one\ntwo", "0971230000", "what?"])("refuses the input %j without repeating it", async (input) => {
    const run = scripted(input, []);
    expect(await runPerson(erase, run.process)).toBe(exitCodes.failed);
    expect(run.noted).toHaveLength(1);
    expect(run.noted[0]).toMatch(/person/);
    expect(run.noted[0]).not.toContain("0971230000");
  });

  test("a copy without its last line is incomplete [ALL-81]", async () => {
    const task = { url, task: { kind: "export", file: "-" } } as const;
    const whole = scripted("C12345678", [new Response('{"kind":"person"}\n{"kind":"end"}\n')]);
    expect(await runPerson(task, whole.process)).toBe(exitCodes.done);
    expect(whole.printed).toEqual(['{"kind":"person"}', '{"kind":"end"}']);
    const broken = scripted("C12345678", [new Response('{"kind":"person"}\n')]);
    expect(await runPerson(task, broken.process)).toBe(exitCodes.failed);
  });

  test("waits at a rate limit, and refuses a list that it did not print", async () => {
    const busy = new Response("", { status: 429, headers: { "Retry-After": "7" } });
    const run = scripted("C12345678", [busy, Response.json({ state: "erased" })]);
    expect(await runPerson(erase, run.process)).toBe(exitCodes.done);
    const apply = { url, task: { kind: "apply", file: "-", restored: undefined } } as const;
    const list = scripted('{"surface":"phone"}\nnonsense', []);
    expect(await runPerson(apply, list.process)).toBe(exitCodes.failed);
    expect(list.noted[0]).toMatch(/line 2/);
  });
});

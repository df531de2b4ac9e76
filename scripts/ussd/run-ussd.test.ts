/** Whole runs with a small mock service. Replays of the real flows are in test/e2e/ussd.test.ts. */
import { expect, test } from "vitest";
import { ussdCommand } from "./arguments.ts";
import { runUssd } from "./run-ussd.ts";

interface Sent {
  readonly sessionId: string;
  readonly phoneNumber: string;
  readonly text: string;
}

/** Answers by the last input. */
const MENU: Readonly<Record<string, string>> = {
  "": "CON Welcome\n1. Account\n*. Exit",
  "1": "CON Your Customer ID: C42\n0. Back",
  C42: "CON Hello",
  "*": "END Bye",
};

function processOf(options: { lines?: readonly string[]; files?: Record<string, string>; answers?: Response[] } = {}) {
  const sent: Sent[] = [];
  const printed: string[] = [];
  const noted: string[] = [];
  const waited: number[] = [];
  const answers = [...(options.answers ?? [])];
  let calls = 0;
  async function* lines() {
    yield* options.lines ?? [];
  }
  const service: typeof fetch = async (address, init) => {
    const url = String(address);
    if (url.includes("/debug/")) return Response.json({ debugInfo: { state: "preMenu" } });
    const body = JSON.parse(String(init?.body)) as Sent;
    sent.push(body);
    const scripted = answers.shift();
    if (scripted !== undefined) return scripted;
    const isExit = body.text.endsWith("*");
    return new Response(MENU[isExit ? "*" : (body.text.split("*").at(-1) ?? "")] ?? "CON Unknown");
  };
  return {
    sent,
    printed,
    noted,
    waited,
    run: async (line: string, isInteractive = false, fetcher = service) => {
      const parsed = ussdCommand.parse(line.split(" ").filter(Boolean), {});
      if (parsed === "help" || parsed instanceof Error) throw new Error("wrong options");
      return runUssd(parsed, {
        environment: {},
        lines: lines(),
        isInteractive,
        colours: false,
        print: (text) => void printed.push(text),
        note: (text) => void noted.push(text),
        prompt: () => {},
        readFile: (path) => {
          const text = options.files?.[path];
          if (text === undefined) throw new Error(`no such file: ${path}`);
          return text;
        },
        freshPhone: () => "+260970000005",
        fetch: fetcher,
        newSessionId: () => `s${(calls += 1)}`,
        interrupted: new AbortController().signal,
        wait: async (milliseconds) => void waited.push(milliseconds),
      });
    },
  };
}

const texts = (sent: readonly Sent[]) => sent.map(({ sessionId, text }) => `${sessionId} ${text}`);

test("the phone dials, sends all inputs, repeats a request, dials again, ends with its input", async () => {
  const phone = processOf({ lines: ["1", "C42", "/again", "/redial", "1", "/state", "/quit", "never"] });
  expect(await phone.run("")).toBe(0);
  expect(texts(phone.sent)).toEqual(["s1 ", "s1 1", "s1 1*C42", "s1 1*C42", "s2 ", "s2 1"]);
  expect(phone.printed).toContain("[in call] 9 characters, 9 of 182 septets");
  expect(phone.printed.join("\n")).toContain('"state": "preMenu"');
});

test("--latest-only sends only the latest input; the first request of a call is still empty", async () => {
  const phone = processOf({ lines: ["1", "C42"] });
  expect(await phone.run("--latest-only")).toBe(0);
  expect(texts(phone.sent)).toEqual(["s1 ", "s1 1", "s1 C42"]);
});

test("after END an empty line dials again; a script that types into a closed call fails, a person can continue", async () => {
  const again = processOf({ lines: ["*", "", "1"] });
  expect(await again.run("")).toBe(0);
  expect(texts(again.sent)).toEqual(["s1 ", "s1 *", "s2 ", "s2 1"]);
  expect(await processOf({ lines: ["*", "1"] }).run("")).toBe(1);
  const person = processOf({ lines: ["*", "1", "", "1"] });
  expect(await person.run("", true)).toBe(0);
  expect(texts(person.sent)).toEqual(["s1 ", "s1 *", "s2 ", "s2 1"]);
});

const flows = (last: string) => `flows:
  - name: account
    steps:
      - dial:
        expect: |-
          CON Welcome
          1. Account
          *. Exit
      - input: 1
        expect: |-
          CON Your Customer ID: {customerId}
          0. Back
  - name: hello
    after: account
    steps:
      - input: "{customerId}"
        expect: ${last}
`;

test("a replay waits for the rate limit and sends the request again", async () => {
  const busy = new Response("END Too many requests.", { status: 429, headers: { "Retry-After": "7" } });
  const replay = processOf({ files: { f: flows("CON Hello") }, answers: [busy] });
  expect(await replay.run("--replay-file f --flow account")).toBe(0);
  expect(texts(replay.sent)).toEqual(["s1 ", "s1 ", "s1 1"]);
  expect(replay.waited).toEqual([7_000]);
});

test("a script waits for the rate limit too; a person is informed", async () => {
  const busy = () => new Response("END Too many requests.", { status: 429, headers: { "Retry-After": "7" } });
  const script = processOf({ lines: ["1"], answers: [busy(), new Response("CON Welcome"), busy()] });
  expect(await script.run("")).toBe(0);
  expect(texts(script.sent)).toEqual(["s1 ", "s1 ", "s1 1", "s1 1"]);
  expect(script.waited).toEqual([7_000, 7_000]);
  const person = processOf({ lines: ["1"], answers: [new Response("CON Welcome"), busy()] });
  expect(await person.run("", true)).toBe(0);
  expect(texts(person.sent)).toEqual(["s1 ", "s1 1"]);
  expect(person.noted.at(-1)).toBe("Rate limit reached; try again in 7 s.");
  expect(person.waited).toEqual([]);
});

test("a value applies to the flows that are given it; another flow's screen may show its own", async () => {
  const given = `${flows("CON Hello")}  - name: given
    given: [customerId]
    steps:
      - {dial: "1*{customerId}", expect: CON Hello}
`;
  const replay = processOf({ files: { f: given } });
  expect(await replay.run("--replay-file f --set customerId=9*C42")).toBe(0);
  expect(texts(replay.sent).at(-1)).toBe("s3 1*9*C42");
});

test("equal inputs are spaced with --latest-only, and only then", async () => {
  const file = `flows:
  - name: twice
    steps:
      - {dial: , expect: "{...}"}
      - {input: 43219, expect: "{...}"}
      - {input: 43219, expect: "{...}"}
`;
  const latest = processOf({ files: { f: file } });
  expect(await latest.run("--replay-file f --latest-only --pause 30")).toBe(0);
  expect(latest.waited).toEqual([30]);
  const all = processOf({ files: { f: file } });
  expect(await all.run("--replay-file f")).toBe(0);
  expect(all.waited).toEqual([]);
});

test("a wait screen is checked again until the service has finished, up to a limit", async () => {
  const file = `flows:
  - name: slow
    steps:
      - {dial: , expect: "{...}"}
      - {input: 1, while: [CON Wait, CON Still], expect: CON Done}
`;
  const answers = ["CON W", "CON Wait", "CON Still", "CON Done"].map((text) => new Response(text));
  const slow = processOf({ files: { f: file }, answers });
  expect(await slow.run("--replay-file f")).toBe(0);
  expect(texts(slow.sent)).toEqual(["s1 ", "s1 1", "s1 1*1", "s1 1*1*1"]);
  expect(slow.waited).toEqual([500, 500]);

  const never = processOf({
    files: { f: file },
    answers: Array.from({ length: 99 }, () => new Response("CON Wait")),
  });
  expect(await never.run("--replay-file f --latest-only --pause 700")).toBe(1);
  expect(never.waited).toEqual(Array.from({ length: 29 }, () => 700));
});

test.each<[string, string, RegExp]>([
  ["a file that is not there", "--replay-file g", /no such file: g/],
  ["a file that is wrong", "--replay-file wrong", /^npm run ussd: wrong: flows/],
  ["a flow that is not there", "--replay-file f --flow unknown", /no flow is called "unknown"/],
  ["names without a value", "--replay-file lost", /lost needs --set other=\.\.\. --set more=\.\.\.;/],
  ["a name without any value", "--replay-file undefinedName", /"undefined" uses {customerId} before it has a value/],
  ["a value that no flow is given", "--replay-file f --set other=1", /no flow is given "other"/],
])("%s is wrong usage, and nothing is sent", async (_, line, message) => {
  const dials = "    steps:\n      - {dial: , expect: CON}\n";
  const lost = `flows:\n  - name: a\n    given: [other]\n${dials}  - name: b\n    given: [more, other]\n${dials}`;
  const undefinedName = 'flows:\n  - name: undefined\n    steps:\n      - {dial: "{customerId}", expect: CON}\n';
  const files = { f: flows("CON"), wrong: "flows: 1", lost, undefinedName };
  const replay = processOf({ files });
  expect(await replay.run(line)).toBe(2);
  expect(replay.sent).toEqual([]);
  expect(replay.noted.join("\n")).toMatch(message);
});

test.each<[string, Response]>([
  ["an error of the server", new Response("oops", { status: 500 })],
  ["a page", new Response("<html>")],
])("%s is not a reply for a phone", async (_, answer) => {
  const phone = processOf({ answers: [answer] });
  expect(await phone.run("")).toBe(1);
  expect(phone.noted.at(-1)).toMatch(/not a reply for a phone/);
});

test("an unreachable server", async () => {
  const phone = processOf();
  const down: typeof fetch = async () => {
    throw new TypeError("fetch failed", { cause: new Error("connect ECONNREFUSED") });
  };
  expect(await phone.run("", false, down)).toBe(3);
  expect(phone.noted.at(-1)).toBe(
    "npm run ussd: Cannot reach the server at http://localhost:3000: connect ECONNREFUSED. Start it with: npm start",
  );
});

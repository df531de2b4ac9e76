/** `npm run pins`: batch after batch, where the token may come from and go to, exit codes. */
import { describe, expect, test } from "vitest";
import { parsePins } from "./arguments.ts";
import { exitCodes, runPins, type PinsProcess } from "./run-pins.ts";

const local = { url: "http://localhost:3000", tokenFromInput: false };

interface Asked {
  readonly url: string;
  readonly authorisation: string | undefined;
  readonly body: unknown;
}

function scripted(answers: readonly (Response | Error)[], environment: Record<string, string> = {}) {
  const asked: Asked[] = [];
  const said: string[] = [];
  const noted: string[] = [];
  const waits: number[] = [];
  const process: PinsProcess = {
    environment,
    localVariables: () => new Map([["USSD_OPERATOR_TOKEN", "of the local server"]]),
    standardInput: async () => "from standard input\n",
    print: (line) => said.push(line),
    note: (line) => noted.push(line),
    wait: async (seconds) => void waits.push(seconds),
    fetch: async (url, init) => {
      const headers = new Headers(init?.headers);
      asked.push({
        url: String(url),
        authorisation: headers.get("Authorization") ?? undefined,
        body: JSON.parse(String(init?.body)),
      });
      const answer = answers[asked.length - 1];
      if (answer instanceof Response) return answer;
      throw answer ?? new Error("asked too often");
    },
  };
  return { process, asked, said, noted, waits };
}

const batch = (resealed: number, next: number | null, unreadable = 0) => Response.json({ resealed, unreadable, next });

test("goes on behind each batch until nothing is left, and tells the sum", async () => {
  const run = scripted([batch(100, 7), batch(100, 9), batch(3, null)]);
  expect(await runPins(local, run.process)).toBe(exitCodes.done);
  expect(run.asked.map(({ body }) => body)).toEqual([{ after: 0 }, { after: 7 }, { after: 9 }]);
  expect(run.said).toEqual(["203 sealed anew, 0 could not be read"]);
});

test("a server that is asked too often is waited for as it says, then asked for the same batch", async () => {
  const busy = (headers: Record<string, string>) => new Response("", { status: 429, headers });
  const run = scripted([
    batch(100, 7),
    busy({ "Retry-After": "41" }),
    busy({ "Retry-After": "Sat, 21 Nov 2026 20:00:00 GMT" }),
    batch(5, null),
  ]);
  expect(await runPins(local, run.process)).toBe(exitCodes.done);
  expect(run.asked.map(({ body }) => body)).toEqual([{ after: 0 }, { after: 7 }, { after: 7 }, { after: 7 }]);
  expect(run.waits).toEqual([41, 10]);
  expect(run.said).toEqual(["105 sealed anew, 0 could not be read"]);
});

test("what could not be read keeps the old keys needed", async () => {
  const run = scripted([batch(1, null, 2)]);
  expect(await runPins(local, run.process)).toBe(exitCodes.refused);
  expect(run.said).toEqual(["1 sealed anew, 2 could not be read"]);
});

describe("the token", () => {
  test.each([
    ["of the local server goes to it", local, {}, "Bearer of the local server"],
    ["of the environment wins", local, { USSD_OPERATOR_TOKEN: "of the environment" }, "Bearer of the environment"],
    ["may come by standard input", { ...local, tokenFromInput: true }, {}, "Bearer from standard input"],
  ])("%s", async (_, options, environment, expected) => {
    const run = scripted([batch(0, null)], environment);
    expect(await runPins(options, run.process)).toBe(exitCodes.done);
    expect(run.asked[0]?.authorisation).toBe(expected);
  });

  test("of the local server goes nowhere else", async () => {
    const run = scripted([]);
    expect(await runPins({ ...local, url: "https://edge.example" }, run.process)).toBe(exitCodes.unauthorised);
    expect(run.asked).toEqual([]);
  });
});

test.each([
  [401, exitCodes.unauthorised],
  [404, exitCodes.unauthorised],
  [503, exitCodes.refused],
])("a %i has a code of its own", async (status, code) => {
  expect(await runPins(local, scripted([new Response("", { status })]).process)).toBe(code);
});

test("a server that is not there", async () => {
  const run = scripted([new Error("refused")]);
  expect(await runPins(local, run.process)).toBe(exitCodes.unreachable);
  expect(run.noted[0]).toContain("Cannot reach the server at");
});

test("the command line", () => {
  expect(parsePins(["rotate", "--url", "https://edge.example/"], {})).toEqual({
    url: "https://edge.example",
    tokenFromInput: false,
  });
  expect(parsePins(["--help"], {})).toBe("help");
  expect(parsePins([], {})).toBeInstanceOf(Error);
  expect(parsePins(["rotate", "now"], {})).toBeInstanceOf(Error);
});

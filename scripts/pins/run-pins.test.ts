/** `npm run pins`: batch after batch, sources and targets of the token, exit codes. */
import { describe, expect, test } from "vitest";
import { pinsCommand } from "./arguments.ts";
import { exitCodes, runPins, type PinsProcess } from "./run-pins.ts";

const local = { url: "http://localhost:3000", tokenFromInput: false };

interface Requested {
  readonly url: string;
  readonly authorisation: string | undefined;
  readonly body: unknown;
}

function scripted(answers: readonly (Response | Error)[], environment: Record<string, string> = {}) {
  const requested: Requested[] = [];
  const printed: string[] = [];
  const noted: string[] = [];
  const waits: number[] = [];
  const process: PinsProcess = {
    environment,
    localVariables: () => new Map([["USSD_OPERATOR_TOKEN", "of the local server"]]),
    standardInput: async () => "from standard input\n",
    print: (line) => printed.push(line),
    note: (line) => noted.push(line),
    wait: async (seconds) => void waits.push(seconds),
    fetch: async (url, init) => {
      const headers = new Headers(init?.headers);
      requested.push({
        url: String(url),
        authorisation: headers.get("Authorization") ?? undefined,
        body: JSON.parse(String(init?.body)),
      });
      const answer = answers[requested.length - 1];
      if (answer instanceof Response) return answer;
      throw answer ?? new Error("too many requests");
    },
  };
  return { process, requested, printed, noted, waits };
}

const batch = (resealed: number, next: number | null, unreadable = 0) => Response.json({ resealed, unreadable, next });

test("requests batches until nothing is left, and prints the sum [PH-102]", async () => {
  const run = scripted([batch(100, 7), batch(100, 9), batch(3, null)]);
  expect(await runPins(local, run.process)).toBe(exitCodes.done);
  expect(run.requested.map(({ body }) => body)).toEqual([{ after: 0 }, { after: 7 }, { after: 9 }]);
  expect(run.printed).toEqual(["203 re-encrypted, 0 could not be read"]);
});

test("a run that finds nothing to do reports that [PH-102]", async () => {
  const run = scripted([batch(0, null)]);
  expect(await runPins(local, run.process)).toBe(exitCodes.done);
  expect(run.printed).toEqual(["nothing to do: every PIN is encrypted with the current key"]);
});

test("after a 429, the batch is requested again", async () => {
  const busy = (headers: Record<string, string>) => new Response("", { status: 429, headers });
  const run = scripted([
    batch(100, 7),
    busy({ "Retry-After": "41" }),
    busy({ "Retry-After": "Sat, 21 Nov 2026 20:00:00 GMT" }),
    batch(5, null),
  ]);
  expect(await runPins(local, run.process)).toBe(exitCodes.done);
  expect(run.requested.map(({ body }) => body)).toEqual([{ after: 0 }, { after: 7 }, { after: 7 }, { after: 7 }]);
  expect(run.waits).toEqual([41, 10]);
  expect(run.printed).toEqual(["105 re-encrypted, 0 could not be read"]);
});

test("unreadable values still need the old keys", async () => {
  const run = scripted([batch(1, null, 2)]);
  expect(await runPins(local, run.process)).toBe(exitCodes.failed);
  expect(run.printed).toEqual(["1 re-encrypted, 2 could not be read"]);
});

describe("the token", () => {
  test.each([
    ["of the local server goes to it", local, {}, "Bearer of the local server"],
    ["of the environment wins", local, { USSD_OPERATOR_TOKEN: "of the environment" }, "Bearer of the environment"],
    ["may come by standard input", { ...local, tokenFromInput: true }, {}, "Bearer from standard input"],
  ])("%s", async (_, options, environment, expected) => {
    const run = scripted([batch(0, null)], environment);
    expect(await runPins(options, run.process)).toBe(exitCodes.done);
    expect(run.requested[0]?.authorisation).toBe(expected);
  });

  test("of the local server is sent nowhere else", async () => {
    const run = scripted([]);
    expect(await runPins({ ...local, url: "https://edge.example" }, run.process)).toBe(exitCodes.unauthorised);
    expect(run.requested).toEqual([]);
  });
});

test.each([
  [401, exitCodes.unauthorised],
  [404, exitCodes.unauthorised],
  [503, exitCodes.failed],
])("a %i has its own exit code", async (status, code) => {
  expect(await runPins(local, scripted([new Response("", { status })]).process)).toBe(code);
});

test("an unreachable server", async () => {
  const run = scripted([new Error("refused")]);
  expect(await runPins(local, run.process)).toBe(exitCodes.unreachable);
  expect(run.noted[0]).toContain("Cannot reach the server at");
});

test("the command line", () => {
  expect(pinsCommand.parse(["rotate", "--url", "https://edge.example/"], {})).toEqual({
    url: "https://edge.example",
    tokenFromInput: false,
  });
  expect(pinsCommand.parse(["--help"], {})).toBe("help");
  expect(pinsCommand.parse([], {})).toBeInstanceOf(Error);
  expect(pinsCommand.parse(["rotate", "now"], {})).toBeInstanceOf(Error);
});

/**
 * Calls to the phone gateway for the bench: a walk of twelve inputs through menus without a PIN, with known replies, and crowds of
 * callers that take it at once. Texts are cumulative, as most gateways send them.
 */
import { randomInt, randomUUID } from "node:crypto";
import { Agent } from "node:http";
import { dictionaryOf, fill } from "../durable-objects/ussd-session/texts/dictionary.ts";
import { drain, open, type RequestSpec } from "./load.ts";

const { texts } = dictionaryOf("en");
const APP = { app: "Digital Services" };

/** The beginning of the reply to a dial, and to a caller who is back at the start. */
export const FIRST_SCREEN = `CON ${fill(texts.welcome, APP)}\n1. ${texts.knowMore}\n`;
/** How the information menu begins. */
export const INFORMATION = `CON ${fill(texts.infoTitle, APP)}\n`;

/** The inputs after the dial, and the beginnings of their replies. Eight steps stay in their menu, four change the index. */
const WALK: readonly (readonly [input: string, beginning: string])[] = [
  ["1", INFORMATION],
  ["1", "CON Digital Services keeps digital records"],
  ["0", INFORMATION],
  ["2", "CON Creating an account and checking a record cost nothing"],
  ["0", INFORMATION],
  ["3", "CON Delivery depends on where you live."],
  ["0", INFORMATION],
  ["1", "CON Digital Services keeps digital records"],
  ["98", "CON one is verified"],
  ["1", FIRST_SCREEN],
  ["2", `CON ${texts.accountMenu}\n`],
  ["2", `CON ${fill(texts.welcome, APP)}\n${texts.namePrompt}`],
];

export interface PhoneCall {
  readonly dial: RequestSpec;
  /** The request of each input of the walk. */
  readonly steps: readonly RequestSpec[];
}

/** A call from a separate phone; nothing is sent yet. */
export function phoneCall(): PhoneCall {
  const caller = {
    sessionId: randomUUID(),
    serviceCode: "*2233#",
    phoneNumber: `+26097${randomInt(10 ** 6, 10 ** 7)}`,
  };
  const spec = (text: string): RequestSpec => ({
    path: "/api/ussd",
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ ...caller, text }),
  });
  const inputs = WALK.map(([input]) => input);
  return { dial: spec(""), steps: inputs.map((_, index) => spec(inputs.slice(0, index + 1).join("*"))) };
}

/** Equal requests to the bare Worker's object with this name. */
export function bareCall({ dial, steps }: PhoneCall, path: string): PhoneCall {
  return { dial: { ...dial, path }, steps: steps.map((step) => ({ ...step, path })) };
}

export interface CallTimes {
  /** Milliseconds of each request, from sending it to the end of its reply. */
  readonly dials: readonly number[];
  readonly steps: readonly number[];
  /** The time from the first request to the last reply. */
  readonly seconds: number;
  readonly wrong: number;
}

/**
 * Runs this many concurrent calls, each with its next input as soon as the last one is answered, on open connections. A bare Worker
 * has no menus, so its replies are not checked.
 */
export async function takeCalls(base: string, calls: readonly PhoneCall[], isBare = false): Promise<CallTimes> {
  const agent = new Agent({ keepAlive: true, maxSockets: calls.length, maxFreeSockets: calls.length });
  const [dials, steps]: [number[], number[]] = [[], []];
  let wrong = 0;
  const send = async (spec: RequestSpec, beginning: string, times: number[]): Promise<void> => {
    const begin = performance.now();
    const reply = await drain(await open(base, spec, agent));
    times.push(performance.now() - begin);
    if (!isBare && !reply.startsWith(beginning)) wrong += 1;
  };
  try {
    await Promise.all(calls.map(async () => drain(await open(base, { path: isBare ? "/plain" : "/health" }, agent))));
    const begin = performance.now();
    await Promise.all(
      calls.map(async (call) => {
        await send(call.dial, FIRST_SCREEN, dials);
        for (const [index, [, beginning]] of WALK.entries()) {
          const spec = call.steps[index];
          if (spec !== undefined) await send(spec, beginning, steps);
        }
      }),
    );
    return { dials, steps, seconds: (performance.now() - begin) / 1000, wrong };
  } finally {
    agent.destroy();
  }
}

/** Sequential requests on one connection; the milliseconds of each. */
export async function inSequence(base: string, specs: readonly RequestSpec[], beginning: string): Promise<number[]> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const times: number[] = [];
  try {
    for (const spec of specs) {
      const begin = performance.now();
      const reply = await drain(await open(base, spec, agent));
      times.push(performance.now() - begin);
      if (!reply.startsWith(beginning)) throw new Error(`a wrong reply:\n${reply}`);
    }
    return times;
  } finally {
    agent.destroy();
  }
}

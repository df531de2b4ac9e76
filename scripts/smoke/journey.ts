/** One journey through a surface: a few requests whose answers are checked. Everything that it creates, it deletes again. */
import { reasonOf } from "../server-address.ts";

export interface SmokeSettings {
  /** Without a trailing slash. */
  readonly url: string;
  readonly fetch: typeof fetch;
  /** Ends every request. */
  readonly signal: AbortSignal;
  /** An API key of the registry with `domains:read`. */
  readonly registryKey: string | undefined;
  readonly pathSecret: string | undefined;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  readonly randomSeed: () => Uint8Array;
}

/** Thrown at the first answer that differs. */
export class JourneyFault extends Error {
  readonly status: number | undefined;
  constructor(message: string, status?: number) {
    super(message);
    this.name = "JourneyFault";
    this.status = status;
  }
}

export interface Journey {
  readonly name: string;
  /** Resolves with the observation. @throws JourneyFault */
  readonly run: (settings: SmokeSettings) => Promise<string>;
}

interface Answer {
  readonly status: number;
  readonly text: string;
}

/** One request; a status other than the expected ones is a fault. */
export async function request(
  { url, fetch, signal }: SmokeSettings,
  path: string,
  { expected, ...init }: RequestInit & { readonly expected: readonly number[] },
): Promise<Answer> {
  const shown = path.replace(/\?.*$/s, "");
  let response: Response;
  let text: string;
  try {
    response = await fetch(url + path, { ...init, signal, redirect: "manual" });
    text = await response.text();
  } catch (error) {
    throw new JourneyFault(signal.aborted ? `${shown} gave no answer in time` : `${shown}: ${reasonOf(error)}`);
  }
  const { status } = response;
  if (expected.includes(status)) return { status, text };
  throw new JourneyFault(`${shown} answered ${status} instead of ${expected.join(" or ")}`, status);
}

export function jsonOf(path: string, { text }: Answer): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === "object" && value !== null) return value as Record<string, unknown>;
  } catch {
    throw new JourneyFault(`${path} answered something else than JSON`);
  }
  throw new JourneyFault(`${path} answered something else than a JSON object`);
}

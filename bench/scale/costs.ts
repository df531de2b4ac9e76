/** What a month costs at three sizes, in US dollars, from published prices and the shape of the load. */
import type { Values } from "./limits.ts";

/** docs/deploy.md has Cloudflare's prices; the managed servers are two instances in two zones, without a contract. */
const prices = {
  plan: 5,
  requests: { included: 10e6, perMillion: 0.3 },
  cpu: { included: 30e6, perMillion: 0.02 },
  objectRequests: { included: 1e6, perMillion: 0.15 },
  gigabyteSeconds: { included: 400_000, perMillion: 12.5 },
  rowsWritten: { included: 50e6, perMillion: 1 },
  d1: { includedBytes: 5e9, perGigabyte: 0.75 },
  /** Gigabytes in two zones, as the server is. */
  postgresPerGigabyte: 0.23,
} as const;

export interface Size {
  readonly name: string;
  readonly domains: number;
  /** At the peak. */
  readonly stepsPerSecond: number;
  readonly openChats: number;
  /** Undefined with D1. */
  readonly server: { readonly name: string; readonly monthly: number } | undefined;
}

export const sizes: readonly Size[] = [
  { name: "a district", domains: 100_000, stepsPerSecond: 100, openChats: 1_000, server: undefined },
  {
    name: "a country",
    domains: 2_000_000,
    stepsPerSecond: 2_000,
    openChats: 50_000,
    server: { name: "2 cores, 16 GB", monthly: 365 },
  },
  {
    name: "the target",
    domains: 10_000_000,
    stepsPerSecond: 50_000,
    openChats: 1_000_000,
    server: { name: "16 cores, 128 GB", monthly: 2_920 },
  },
];

export interface MonthlyCost {
  readonly size: Size;
  readonly phone: number;
  readonly chat: number;
  readonly database: number;
  readonly total: number;
}

const SECONDS = 30 * 24 * 3_600;
/** The mean of a month as a share of its peak: people press keys by day, and more of them on some days. */
const MEAN_SHARE = 0.1;
const CPU_MS = 3;
const OBJECT_GB = 0.128;
const ROWS_PER_MESSAGE = 15;
const OBJECT_REQUESTS_PER_MESSAGE = 4;
const OBJECT_REQUESTS_PER_STEP = 2;
const OBJECT_REQUESTS_PER_PING = 2;

export function monthlyCost(size: Size, values: Values): MonthlyCost {
  const steps = size.stepsPerSecond * MEAN_SHARE * SECONDS;
  const chatSeconds = size.openChats * MEAN_SHARE * SECONDS;
  const messages = (chatSeconds / 3_600) * values.messagesPerChatHour;
  const pings = chatSeconds / values.pingSeconds;
  // The included amounts are counted once, for the chat.
  const phone =
    over(steps, 0, prices.requests.perMillion) +
    over(steps * CPU_MS, 0, prices.cpu.perMillion) +
    over(steps * OBJECT_REQUESTS_PER_STEP, 0, prices.objectRequests.perMillion) +
    over(steps, 0, prices.rowsWritten.perMillion);
  const chat =
    over(messages, prices.requests.included, prices.requests.perMillion) +
    over(messages * CPU_MS, prices.cpu.included, prices.cpu.perMillion) +
    over(
      messages * OBJECT_REQUESTS_PER_MESSAGE + pings * OBJECT_REQUESTS_PER_PING,
      prices.objectRequests.included,
      prices.objectRequests.perMillion,
    ) +
    over(
      messages * values.answerSeconds * OBJECT_GB,
      prices.gigabyteSeconds.included,
      prices.gigabyteSeconds.perMillion,
    ) +
    over(messages * ROWS_PER_MESSAGE, prices.rowsWritten.included, prices.rowsWritten.perMillion);
  const database = databaseCost(size, values);
  return { size, phone, chat, database, total: prices.plan + phone + chat + database };
}

function databaseCost({ domains, server }: Size, { domainBytes }: Values): number {
  const bytes = domains * domainBytes;
  if (server !== undefined) return server.monthly + (bytes / 1e9) * prices.postgresPerGigabyte;
  return (Math.max(0, bytes - prices.d1.includedBytes) / 1e9) * prices.d1.perGigabyte;
}

function over(amount: number, included: number, perMillion: number): number {
  return (Math.max(0, amount - included) / 1e6) * perMillion;
}

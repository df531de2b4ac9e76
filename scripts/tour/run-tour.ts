/**
 * The tour: the Worker as `npm start` starts it, on a free port and over separate storage, with the mock servers, and one
 * conversation through all plugin features. Ends at the first step that differs.
 */
import { randomBytes } from "node:crypto";
import { startRunningServer, type RunningServer } from "../../test/support/server/running-server.ts";
import type { Peer } from "../../test/support/peers/peer.ts";
import { startPeers, stopPeers } from "../peers/all-peers.ts";
import { joinVariables } from "../peers/variables.ts";
import { createTourUser } from "./oracle-user.ts";
import type { Tour, TourStep } from "./step.ts";
import { creditSettings } from "./steps/credits.ts";
import { tourSteps } from "./steps.ts";

/** The Worker's variables besides the mock servers': `.dev.vars` is ignored. */
const settings = {
  LLM_PROVIDER: "local",
  ...creditSettings,
  // A busy machine may take longer for a screen of the phone than gateways should wait.
  USSD_REPLY_BUDGET_MS: "9000",
  USSD_ORACLE_BUDGET_MS: "9000",
} as const;

/** How many lines of the Worker's log a failed step shows. */
const LOG_LINES = 15;

/** Returns whether every step succeeded. */
export async function runTour(print: (line: string) => void, steps: readonly TourStep[] = tourSteps): Promise<boolean> {
  const began = Date.now();
  const developmentKey = `tour-${randomBytes(16).toString("hex")}`;
  const peers = await startPeers();
  let server: RunningServer | undefined;
  try {
    const asked = joinVariables(Object.values<Peer>(peers).map(({ variables }) => variables));
    server = await startRunningServer({ ...asked, ...settings, DEV_API_KEY: developmentKey });
    print(`The Worker runs at ${server.url}, beside ${Object.keys(peers).length} peers (${seconds(began)}).`);
    const user = await createTourUser(server.url);
    const tour = { url: server.url, developmentKey, peers, user, sessionId: await user.newSession() };
    const passed = await takeSteps(tour, steps, print);
    if (!passed) for (const line of server.log().trim().split("\n").slice(-LOG_LINES)) print(`    log: ${line}`);
    print(`${passed ? "All steps passed" : "The tour stopped here"} (${seconds(began)}).`);
    return passed;
  } finally {
    await server?.dispose();
    await stopPeers(peers);
  }
}

async function takeSteps(tour: Tour, steps: readonly TourStep[], print: (line: string) => void): Promise<boolean> {
  for (const [index, { title, run }] of steps.entries()) {
    const began = Date.now();
    try {
      const observed = await run(tour);
      print(`ok   ${index + 1}. ${title} (${seconds(began)})`);
      for (const line of observed) print(`       ${line}`);
    } catch (thrown) {
      print(`FAIL ${index + 1}. ${title} (${seconds(began)})`);
      print(`       ${thrown instanceof Error ? thrown.message : String(thrown)}`);
      return false;
    }
  }
  return true;
}

function seconds(since: number): string {
  return `${((Date.now() - since) / 1000).toFixed(1)} s`;
}

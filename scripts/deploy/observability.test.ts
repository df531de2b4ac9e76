/** The platform's own logs of requests, and what it passes to the Worker about callers. */
import { join } from "node:path";
import { expect, test } from "vitest";
import { unstable_readConfig as readConfig } from "wrangler";

const config = join(import.meta.dirname, "../../wrangler.toml");

test.each([undefined, "staging", "production"])(
  "%s logs no address of a request, and no query string, which may contain a PIN [PH-117]",
  (env) => {
    const { observability } = readConfig({ config, ...(env === undefined ? {} : { env }) }, { hideWarnings: true });
    expect(observability).toEqual({
      enabled: true,
      redact_query_string: true,
      logs: { enabled: true, invocation_logs: false },
      traces: { enabled: false },
    });
  },
);

test.each([undefined, "staging", "production"])("%s is notified when a caller disconnects [QG-160]", (env) => {
  const flags = readConfig(
    { config, ...(env === undefined ? {} : { env }) },
    { hideWarnings: true },
  ).compatibility_flags;
  expect(flags).toContain("enable_request_signal");
});

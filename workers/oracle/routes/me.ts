/** The caller's personal data: a copy of it, and its erasure. */
import * as z from "zod";
import { erasureReceipt } from "../../../protocol/records.ts";
import { newFailure } from "../../../platform/failure.ts";
import { failure } from "../../../platform/result.ts";
import { reply } from "../../../platform/http/route.ts";
import { signedIn } from "../http/authentication.ts";
import type { OracleContext } from "../http/failures.ts";
import { countBefore } from "../http/limits.ts";
import { route } from "../http/route.ts";
import { userVault } from "../objects.ts";
import { requestErasure, type EraseParts } from "../personal-data/erase-user.ts";
import { copyOf } from "../personal-data/user-copy.ts";

const tag = "Personal data";

/** Seconds between two copies for a user: each reads everything that is stored for them. */
const COPY_PAUSE_SECONDS = 60;
const tooManyCopies = newFailure("rate_limited", "You can request a copy once a minute", {
  retryAfter: COPY_PAUSE_SECONDS,
});

const exportUser = route(
  {
    method: "get",
    path: "/me/export",
    id: "exportUser",
    summary: "Download a copy of your data",
    description:
      'NDJSON: one JSON object per line, each with a `kind`: `user`, `delegation`, `plugin`, `text`, `session`, `message`, and at last `{"kind":"end"}`. A copy without the last line is incomplete.',
    tag,
    auth: signedIn,
    middleware: [countBefore],
    failures: [tooManyCopies],
    responses: {
      200: {
        description: "The copy, written while you read",
        content: { schema: z.string(), type: "application/x-ndjson" },
      },
    },
  },
  async ({ env, caller: { did } }, c) => {
    const until = c.var.personalData.clock() + COPY_PAUSE_SECONDS * 1_000;
    const noted = await userVault(env, did).addPluginValue("personal-data", "copied", "true", { at: until });
    // A full storage cannot note the copy, and does not prevent it.
    if (noted.ok && !noted.value) return failure(tooManyCopies);
    return new Response(await copyOf(partsOf(c), did), {
      headers: {
        "Content-Type": "application/x-ndjson",
        "Content-Disposition": 'attachment; filename="my-data.ndjson"',
      },
    });
  },
);

const eraseUser = route(
  {
    method: "delete",
    path: "/me",
    id: "eraseUser",
    summary: "Erase your data",
    description:
      "Deletes your sessions, facts, files, preferences and sign-ins, and stops your runs. The receipt names the data that is kept and why. If a part cannot be reached, the response is 202, and the oracle continues the erasure until it is complete.",
    tag,
    auth: signedIn,
    middleware: [countBefore],
    responses: {
      200: {
        description: "Your data is erased",
        content: {
          schema: erasureReceipt,
          example: {
            state: "erased",
            erasedAt: "2026-11-25T09:00:00.000Z",
            kept: [{ what: "ids of revoked delegations", why: "a revoked token must stay revoked" }],
          },
        },
      },
      202: { description: "The erasure continues in the background", content: { schema: erasureReceipt } },
    },
    failures: [newFailure("unavailable", "The oracle is unavailable")],
  },
  async ({ caller }, c) => {
    const outcome = await requestErasure(partsOf(c), caller.did);
    return reply(outcome, outcome.state === "erased" ? {} : { status: 202 });
  },
);

export function partsOf(c: OracleContext): EraseParts {
  const { env, requestId, log } = c.env;
  const { runtime, personalData } = c.var;
  return {
    plugins: personalData.plugins,
    outside: {
      env,
      runtime,
      clock: personalData.clock,
      requestId,
      logger: log,
      waitUntil: (work) => c.executionCtx.waitUntil(work),
      onError: personalData.onError,
    },
  };
}

export const personalDataRoutes = [exportUser, eraseUser];

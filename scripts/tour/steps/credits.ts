/** Plugins credits and claims: messages until the credits are used up, a refusal that names the claims, a grant by the operator. */
import type { TourStep } from "../step.ts";
import { expectThat } from "../expect-that.ts";

/**
 * Settings of the tour's Worker: a model with a price, and few credits for a new payer. A turn costs two or three credits. A call
 * is sent if the balance covers its estimated prompt, tools included, which is 30 credits here: the minimum is above that, so the
 * gate refuses the message and no turn ends half way.
 */
export const creditSettings = {
  CREDITS_ENABLED: "true",
  CREDITS_INITIAL: "100",
  CREDITS_MINIMUM: "60",
  CRON_SECRET: "the-operator-of-the-tour",
  MODELS: JSON.stringify([{ id: "local", vision: true, pricing: { inputPerMillion: 3, outputPerMillion: 3 } }]),
} as const;

/** A new payer's credits are used up in fewer turns than this. */
const MOST_TURNS = 60;
const GRANTED = 100;

export const runOutAndTopUp: TourStep = {
  title: "The user runs out of credit, and is topped up",
  async run({ url, peers, user, sessionId }) {
    let turns = 0;
    let turn = await user.say(sessionId, "hello");
    for (; turn.status === 200 && turns < MOST_TURNS; turns += 1) turn = await user.say(sessionId, "hello");
    const { status, refusal } = turn;
    expectThat(status === 402, `402 within ${MOST_TURNS} turns`, status);
    expectThat(refusal["code"] === "payment_required", "code: payment_required", refusal);
    const claims = refusal["outstandingClaims"];
    expectThat(Array.isArray(claims) && claims.length > 0, "the ids of unpaid claims", refusal);

    const granted = await fetch(`${url}/cron/claims`, {
      method: "POST",
      headers: { Authorization: `Bearer ${creditSettings.CRON_SECRET}`, "Content-Type": "application/json" },
      body: JSON.stringify({ credits: { did: user.did, amount: GRANTED, key: "the-top-up-of-the-tour" } }),
    });
    expectThat(granted.ok, "the operator's grant to succeed", `${granted.status} ${await granted.text()}`);
    const collected = [...peers.claims.claims.values()].filter(({ payer }) => payer === user.did);
    expectThat(collected.length > 0, "claims of the user at the receiver", [...peers.claims.claims]);
    const { status: after, text } = await user.say(sessionId, "hello again");
    expectThat(after === 200 && text === "You said: hello again", "an answer after the top-up", { after, text });
    return [
      `402 after ${turns} further answers: ${String(refusal["message"])}`,
      `${claims.length} claims were unpaid; the receiver took ${collected.length}`,
      `${GRANTED} credits granted; the next message was answered`,
    ];
  },
};

/**
 * The plugin slack: questions from Slack's Events API become turns, one session per thread, and their answers are posted in the
 * thread. On with a bot token and a signing secret (docs/plugins/slack.md).
 */
import type { PluginContext, RuntimeContext } from "../../framework/context.ts";
import type { AgentMiddleware } from "../../framework/middleware.ts";
import { defineOraclePlugin } from "../../framework/plugin.ts";
import type { Logger } from "../../../platform/log.ts";
import { END_TIME_MS, endAnswer } from "./answer-end.ts";
import { createAnswerStore } from "./answer-record.ts";
import { createAnswerStream, type AnswerStream } from "./answer-stream.ts";
import { eventsRoute } from "./events-route.ts";
import { placeOf, SLACK_CLIENT, type SlackPlace } from "./place.ts";
import { leaveThreads } from "./threads.ts";
import { slackSettings, type SlackSettings } from "./settings.ts";
import { createSlackApi, type SlackApi } from "./slack-api.ts";

/** Slack's status text after the app's name while the model thinks. */
const THINKING = "is thinking…";

/** Only one of the two is a mistake, which the log warns of; without both, the plugin is just off. */
function isSet(env: object, variable: "SLACK_BOT_TOKEN" | "SLACK_SIGNING_SECRET"): boolean {
  return variable in env && env[variable as keyof typeof env] !== "";
}

const wait = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** How long the end of an answer waits for its stream, milliseconds: as long as one call to Slack may take. */
const SETTLE_TIME_MS = 11_000;

/**
 * The streams of turns in this isolate, by run id, until appending has ended: the end of an answer waits for it. A lost process has
 * none.
 */
const streams = new Map<string, AnswerStream>();

/** Whether this isolate has logged a refused status: some workspaces do not have it, and each answer would try. */
let isStatusRefused = false;

export const slack = defineOraclePlugin<SlackSettings>({
  name: "slack",
  version: "1.0.0",
  manifest: {
    title: "Slack",
    summary: "Answers people in Slack.",
    whenToUse: [],
    category: "communication",
    visibility: "silent",
  },
  configSchema: slackSettings,
  isWanted: (env) => isSet(env, "SLACK_BOT_TOKEN") || isSet(env, "SLACK_SIGNING_SECRET"),

  getRoutes: (ctx) => [
    eventsRoute({
      signingSecret: ctx.config.SLACK_SIGNING_SECRET,
      channelThreads: ctx.config.SLACK_CHANNEL_THREADS,
      api: apiOf(ctx),
      clock: () => Date.now(),
      wait,
    }),
  ],

  getMiddlewares(ctx) {
    const place = placeOf(ctx.session.client, ctx.request.metadata);
    return place === undefined ? [] : [answering(place, ctx)];
  },

  async userErased(did, { storageOf }) {
    if (!did.startsWith("did:slack:")) return [];
    const { named, count } = await leaveThreads(did, storageOf);
    if (count === 0) return [];
    const more = count > named.length ? ` and ${count - named.length} more` : "";
    return [
      {
        what: `messages in ${count} threads of channels: ${named.join(", ")}${more}`,
        why: "a thread belongs to everyone who writes there; an operator can erase it by its DID",
      },
    ];
  },

  afterTurnClients: [SLACK_CLIENT],
  async afterTurn(turn, ctx) {
    const place = placeOf(turn.client, turn.metadata);
    if (place === undefined) return;
    const store = createAnswerStore(ctx.kv, turn.runId);
    const late = AbortSignal.timeout(END_TIME_MS);
    await Promise.race([streams.get(turn.runId)?.settle(), wait(SETTLE_TIME_MS)]);
    await endAnswer(turn, { place, api: apiOf(ctx), store, wait, isLate: () => late.aborted, log: ctx.logger });
  },
});

function apiOf({ config }: Pick<PluginContext<SlackSettings>, "config">): SlackApi {
  return createSlackApi(config, (address, init) => fetch(address, init));
}

function answering(place: SlackPlace, ctx: RuntimeContext<SlackSettings>): AgentMiddleware {
  const api = apiOf(ctx);
  const stream = createAnswerStream({
    place,
    api,
    store: createAnswerStore(ctx.kv, ctx.session.runId),
    wait,
    background: ctx.background,
    ended: ctx.abortSignal,
    log: ctx.logger,
  });
  const { runId } = ctx.session;
  streams.set(runId, stream);
  // The sent text is stored by then: an end that runs later, or in another isolate, reads it there.
  ctx.onTurnEnd(() => stream.settle().finally(() => streams.delete(runId)));
  return {
    name: "slack-answer",
    beforeAgent: () => ctx.background(showThinking(place, api, ctx.logger)),
    onText: (text) => stream.add(text),
  };
}

/** Slack removes the status when the answer begins. */
async function showThinking({ channel, thread }: SlackPlace, api: SlackApi, log: Logger): Promise<void> {
  const shown = await api.call("assistant.threads.setStatus", {
    channel_id: channel,
    thread_ts: thread,
    status: THINKING,
  });
  if (shown.ok || isStatusRefused) return;
  isStatusRefused = true;
  log.info("slack-status-refused", { error: shown.error.error });
}

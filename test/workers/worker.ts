/**
 * The Worker under test: the deployed one, and in addition a chat session whose models and plugins a test provides, and an outbox
 * whose webhooks and text messages go to a test.
 */
import { defineChatSession } from "../../durable-objects/chat-session.ts";
import { defineOutbox } from "../../durable-objects/outbox.ts";
import { defineUssdSession } from "../../durable-objects/ussd-session.ts";
import { databaseOf } from "../../platform/database/database-of.ts";
import { createLogger } from "../../platform/log.ts";
import { createWebhookSender } from "../../workers/registry/webhooks/sender.ts";
import { scriptedOracle } from "../support/oracle/scripted-oracle.ts";
import { scriptedReceiver } from "../support/registry/scripted-webhook-receiver.ts";
import { fakeSmsSender } from "../support/ussd/fake-sms.ts";
import { scriptedUssdSettings } from "../support/ussd/scripted-session.ts";

export { TestSockets } from "../support/socketio/fixture/worker.ts";
export * from "../../workers/index.ts";
export { default } from "../../workers/index.ts";
export class ScriptedChatSession extends defineChatSession({
  settings: async () => {
    if (scriptedOracle.settings === undefined) throw new Error("not configured");
    return scriptedOracle.settings;
  },
  channel: () => scriptedOracle.channel,
}) {}
export class ScriptedOutbox extends defineOutbox({
  senders: (env) => ({
    webhook: createWebhookSender({
      database: databaseOf(env),
      rule: { hosts: ["hooks.test"], allowsHttp: false },
      fetch: scriptedReceiver.fetch,
      clock: () => scriptedReceiver.clock(),
      log: createLogger({ surface: "registry", requestId: "test" }, () => undefined),
    }),
    sms: fakeSmsSender(databaseOf(env), { RATE_LIMITER: env.RATE_LIMITER }),
  }),
}) {}
export class ScriptedUssdSession extends defineUssdSession(scriptedUssdSettings) {}

/** The recovery suite over the Durable Object: its storage, alarm and isolate are workerd's. */
import { runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { describeRecovery } from "../../support/oracle/recovery-suite.ts";
import { scriptedOracle, scriptOracle } from "../../support/oracle/scripted-oracle.ts";
import { loseMemory, newSession } from "./session-under-test.ts";

describeRecovery(async (steps, settings) => {
  const model = scriptOracle(steps, settings);
  const { settings: valid } = scriptedOracle;
  const session = await newSession("scripted");
  return {
    sessionId: session.id,
    model,
    get core() {
      return session.chat;
    },
    async loseMemory() {
      // Flushes writes to disk before the crash, so that each case loses exactly what it states.
      await runInDurableObject(session.stub, (_, { storage }) => storage.sync());
      await loseMemory();
    },
    async fireAlarm() {
      if (!(await runDurableObjectAlarm(session.stub))) throw new Error("no alarm is set");
    },
    sql: (statement) => runInDurableObject(session.stub, (_, { storage }) => storage.sql.exec(statement).toArray()),
    configure(isValid) {
      scriptedOracle.settings = isValid ? valid : undefined;
    },
  };
});

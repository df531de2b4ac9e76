/** A session's client calls with its real sockets and real SQL, without the rest of the session. */
import { createClientCalls, type ClientCalls } from "../../../oracle/runs/client-calls.ts";
import { migrations } from "../../../oracle/runs/schema.ts";
import { migrate } from "../../../platform/object-schema.ts";
import { createLogger } from "../../../platform/log.ts";
import { OWNER } from "./chat-turns.ts";
import { createManualClock } from "../clocks/manual-clock.ts";
import { createSqliteStorage } from "../storage/sqlite-storage.ts";
import { createTabs } from "./tabs.ts";

/** The second part of every invocation id is `u`. */
export function clientCallsOverTabs() {
  const storage = createSqliteStorage();
  migrate(storage, migrations);
  const clock = createManualClock();
  const wanted: number[] = [];
  const log = createLogger({}, () => undefined);
  const tabs = createTabs({
    session: {
      owner: () => OWNER,
      id: () => "S",
      wake: () => undefined,
      finishCall: (result) => calls.finish(result),
      socketJoined: () => calls.socketJoined(),
      socketLeft: (socketId) => calls.socketLeft(socketId),
    },
    database: storage.database,
    clock,
    log,
  });
  const create = (): ClientCalls =>
    createClientCalls({
      sql: storage.sql,
      sockets: tabs.sockets,
      now: clock.now,
      newId: () => "u",
      wakeAt: (at) => void wanted.push(at),
      log,
    });
  let calls = create();
  return {
    tabs,
    clock,
    wanted,
    sql: storage.sql,
    calls,
    /** The calls as the object finds them after an eviction. */
    reopen(): ClientCalls {
      tabs.evict();
      calls = create();
      return calls;
    },
  };
}

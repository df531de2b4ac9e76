/**
 * The statements of a turn that is not streamed, with one model step and no call, on the tables of the session and of the user
 * vault. The values are made up; their sizes and tables are real. They correspond to oracle/runs and durable-objects/user-vault.
 */
import { migrations as sessionTables } from "../../oracle/runs/schema.ts";
import { migrations as userTables } from "../../durable-objects/user-vault/schema.ts";

const QUESTION = JSON.stringify({ id: "0".repeat(36), type: "human", content: "/slow 1 0" });
/** Approximate sizes of the stored values, UTF-16 units. */
const REQUEST_SIZE = 250;
const FRAME_SIZE = 150;
const RECORD_SIZE = 180;

export function makeTables(sql: SqlStorage): void {
  if (sql.exec("SELECT 1 FROM sqlite_master WHERE name = 'runs'").toArray().length > 0) return;
  for (const script of [...sessionTables, ...userTables]) sql.exec(script);
  sql.exec("INSERT INTO sessions VALUES ('session', 'Untitled', '', '', 'Oracle', 'did', 'did', NULL)");
}

const frame = (sql: SqlStorage, run: number, seq: number): void =>
  void sql.exec(
    "INSERT INTO frames (run, seq, event, data) VALUES (?, ?, ?, ?)",
    run,
    seq,
    "message",
    "x".repeat(FRAME_SIZE),
  );

/** Marks the previous run as reported; accepts and starts this one. Returns its number. */
export function acceptRun(sql: SqlStorage): number {
  const { ordinal } = sql
    .exec<{ ordinal: number }>(
      `INSERT INTO runs (run_id, request_id, client_message_id, client, status, started_at, updated_at, request)
       VALUES (?, ?, NULL, 'portal', 'queued', ?, ?, ?) RETURNING ordinal`,
      crypto.randomUUID(),
      crypto.randomUUID(),
      Date.now(),
      Date.now(),
      "x".repeat(REQUEST_SIZE),
    )
    .one();
  sql.exec("INSERT INTO messages (turn, position, record) VALUES (?, 0, ?)", ordinal, QUESTION.padEnd(RECORD_SIZE));
  frame(sql, ordinal, 1);
  sql.exec("UPDATE runs SET status = 'running', started_at = ?, updated_at = ? WHERE ordinal = ?", 1, 2, ordinal);
  frame(sql, ordinal, 2);
  sql.exec("UPDATE runs SET unreported = 0 WHERE ordinal = ?", ordinal - 1);
  return ordinal;
}

/** Reads two records of the history, stores the text as it arrives, then the step and the end. */
export function answerRun(
  { sql, transactionSync }: Pick<DurableObjectStorage, "sql" | "transactionSync">,
  run: number,
) {
  sql.exec("SELECT turn, record FROM messages WHERE turn = ? ORDER BY position DESC", run - 1).toArray();
  frame(sql, run, 3);
  sql.exec(
    "INSERT INTO steps (run, position, text, reasoning, finish_reason) VALUES (?, 0, 'part 1 ', '', 'stop')",
    run,
  );
  sql.exec("UPDATE runs SET updated_at = ?, status = 'running' WHERE ordinal = ?", Date.now(), run);
  transactionSync(() => {
    frame(sql, run, 4);
    sql.exec("INSERT INTO messages (turn, position, record) VALUES (?, 1, ?)", run, "x".repeat(RECORD_SIZE));
    sql.exec(
      `UPDATE runs SET status = 'finished', ended_at = ?, message_id = ?, finish_reason = 'stop', input_tokens = 1,
         output_tokens = 1, unreported = 1, request = NULL WHERE ordinal = ?`,
      Date.now(),
      crypto.randomUUID(),
      run,
    );
    for (const table of ["steps", "calls", "client_calls"]) sql.exec(`DELETE FROM ${table} WHERE run = ?`, run);
    frame(sql, run, 5);
  });
}

/** The user vault's rows of a turn: when the session was last used, and the turn's counts. */
export function reportRun(sql: SqlStorage): void {
  sql.exec("UPDATE sessions SET last_updated_at = ? WHERE session_id = 'session'", new Date().toISOString());
  sql.exec("INSERT INTO turns (id, day, tokens) VALUES (?, 1, 1)", crypto.randomUUID());
}

/**
 * The tables of a ChatSession, described in docs/storage.md. A shipped script never changes; add a new one. Columns and tables
 * named `turn` refer to runs: the ordinal of a run, or the report of an ended run.
 */
export const migrations: readonly string[] = [
  `
  CREATE TABLE session (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    owner TEXT NOT NULL,
    record TEXT NOT NULL
  );
  CREATE TABLE runs (
    ordinal INTEGER PRIMARY KEY AUTOINCREMENT,
    run_id TEXT NOT NULL UNIQUE,
    request_id TEXT NOT NULL,
    client TEXT NOT NULL,
    status TEXT NOT NULL,
    attempt INTEGER NOT NULL DEFAULT 0,
    started_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    ended_at INTEGER,
    message_id TEXT,
    failure TEXT,
    delegation_required INTEGER NOT NULL DEFAULT 0,
    request TEXT,
    pruned INTEGER NOT NULL DEFAULT 0
  );
  CREATE INDEX runs_active ON runs (ordinal) WHERE ended_at IS NULL;
  CREATE INDEX runs_prunable ON runs (ended_at) WHERE pruned = 0;
  CREATE TABLE steps (
    run INTEGER NOT NULL,
    position INTEGER NOT NULL,
    text TEXT NOT NULL,
    reasoning TEXT NOT NULL,
    PRIMARY KEY (run, position)
  ) WITHOUT ROWID;
  CREATE TABLE calls (
    event_id TEXT PRIMARY KEY,
    run INTEGER NOT NULL,
    step INTEGER NOT NULL,
    position INTEGER NOT NULL,
    model_call_id TEXT NOT NULL,
    name TEXT NOT NULL,
    args TEXT NOT NULL,
    status TEXT NOT NULL,
    output TEXT,
    error TEXT
  ) WITHOUT ROWID;
  CREATE INDEX calls_of_run ON calls (run, step, position);
  CREATE TABLE frames (
    run INTEGER NOT NULL,
    seq INTEGER NOT NULL,
    event TEXT NOT NULL,
    data TEXT NOT NULL,
    PRIMARY KEY (run, seq)
  ) WITHOUT ROWID;
  CREATE TABLE messages (
    turn INTEGER NOT NULL,
    position INTEGER NOT NULL,
    record TEXT NOT NULL,
    PRIMARY KEY (turn, position)
  ) WITHOUT ROWID;
  `,
  // A phone's question is asked once.
  "CREATE UNIQUE INDEX runs_of_phone ON runs (request_id) WHERE client = 'ussd'",
  // Calls that the client answers, until their run has ended.
  `
  CREATE TABLE client_calls (
    tool_call_id TEXT PRIMARY KEY,
    run INTEGER NOT NULL,
    kind TEXT NOT NULL,
    call TEXT NOT NULL,
    socket TEXT,
    deadline INTEGER NOT NULL,
    outcome TEXT
  );
  `,
  // Why a model stopped, and its usage; repeated messages; ended runs not yet reported to the user vault.
  `
  ALTER TABLE steps ADD COLUMN finish_reason TEXT;
  ALTER TABLE steps ADD COLUMN input_tokens INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE steps ADD COLUMN output_tokens INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE runs ADD COLUMN finish_reason TEXT;
  ALTER TABLE runs ADD COLUMN input_tokens INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE runs ADD COLUMN output_tokens INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE runs ADD COLUMN client_message_id TEXT;
  ALTER TABLE runs ADD COLUMN unreported INTEGER NOT NULL DEFAULT 0;
  CREATE UNIQUE INDEX runs_of_client_message ON runs (client_message_id) WHERE client_message_id IS NOT NULL;
  CREATE INDEX runs_unreported ON runs (ordinal) WHERE unreported = 1;
  `,
  // Every client's message is idempotent by its id; a phone's question used to be by its request.
  `
  UPDATE OR IGNORE runs SET client_message_id = request_id WHERE client = 'ussd' AND client_message_id IS NULL;
  DROP INDEX runs_of_phone;
  `,
  // Calls of sub-agents; the plugins that the session's model has loaded; the summary of old runs.
  `
  ALTER TABLE calls ADD COLUMN agent TEXT;
  ALTER TABLE calls ADD COLUMN hidden INTEGER NOT NULL DEFAULT 0;
  CREATE TABLE loaded_capabilities (plugin TEXT PRIMARY KEY) WITHOUT ROWID;
  CREATE TABLE summary (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    turn INTEGER NOT NULL,
    content TEXT NOT NULL
  );
  `,
  // The id under which a client knows a call: unique per call, so that no result is taken for another's.
  `
  ALTER TABLE client_calls ADD COLUMN invocation TEXT;
  CREATE UNIQUE INDEX client_calls_by_invocation ON client_calls (COALESCE(invocation, tool_call_id));
  `,
  // The effects ledger: what a call may change, and how often it has begun. Earlier calls had begun.
  `
  ALTER TABLE calls ADD COLUMN effect TEXT NOT NULL DEFAULT 'write';
  ALTER TABLE calls ADD COLUMN tries INTEGER NOT NULL DEFAULT 1;
  `,
  // Calls that need the user's approval, for as long as clients know their run.
  `
  CREATE TABLE approvals (
    id TEXT PRIMARY KEY,
    tool_call_id TEXT NOT NULL,
    run INTEGER NOT NULL,
    request TEXT NOT NULL,
    asked_at INTEGER NOT NULL,
    deadline INTEGER NOT NULL,
    answer TEXT,
    ended_at INTEGER
  ) WITHOUT ROWID;
  CREATE INDEX approvals_of_run ON approvals (run);
  CREATE INDEX approvals_open ON approvals (tool_call_id) WHERE answer IS NULL;
  `,
  // The verdict of a hook that ends a run, until the run has ended: a restart does not undo it.
  `
  ALTER TABLE runs ADD COLUMN verdict TEXT;
  `,
  // Usage per model; the plugins that are notified of a run's end, and the pending reports, which outlive its session.
  `
  ALTER TABLE steps ADD COLUMN models TEXT;
  ALTER TABLE runs ADD COLUMN models TEXT;
  ALTER TABLE runs ADD COLUMN reporters TEXT;
  CREATE TABLE ended_turns (
    run_id TEXT PRIMARY KEY,
    owner TEXT NOT NULL,
    since INTEGER NOT NULL,
    turn TEXT NOT NULL
  );
  CREATE TABLE turn_reports (
    run_id TEXT NOT NULL,
    plugin TEXT NOT NULL,
    due INTEGER NOT NULL,
    tries INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (run_id, plugin)
  ) WITHOUT ROWID;
  CREATE INDEX turn_reports_due ON turn_reports (due);
  `,
  // The DID that a run counts against, if it is not the session's owner.
  `
  ALTER TABLE runs ADD COLUMN payer TEXT;
  `,
  // Steps of sub-agents, by the call that runs each; whether a call runs a sub-agent, and for each call its parent call and step.
  `
  CREATE TABLE agent_steps (
    run INTEGER NOT NULL,
    call TEXT NOT NULL,
    position INTEGER NOT NULL,
    text TEXT NOT NULL,
    finish_reason TEXT NOT NULL,
    PRIMARY KEY (run, call, position)
  ) WITHOUT ROWID;
  ALTER TABLE calls ADD COLUMN runs_agent INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE calls ADD COLUMN of_call TEXT;
  ALTER TABLE calls ADD COLUMN of_step INTEGER;
  `,
  // Whether the summary covers text that the user did not write; unknown for earlier summaries.
  `
  ALTER TABLE summary ADD COLUMN is_foreign INTEGER NOT NULL DEFAULT 1;
  `,
];

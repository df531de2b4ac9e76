/**
 * Tests the import table: the real lint, with the real configuration, over a small tree of imports that must be refused or pass.
 * The tree is in a separate directory so that the project stays clean.
 */
import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";

const project = resolve(import.meta.dirname, "../..");

const refused: readonly (readonly [file: string, statement: string])[] = [
  ["workers/index.ts", 'import "./oracle/routes/sessions.ts"'],
  ["workers/index.ts", 'import "./oracle/oracle-surface.ts"'],
  ["workers/index.ts", 'import "./ussd/pin.ts"'],
  ["workers/index.ts", 'import "../durable-objects/chat-session/run-log.ts"'],
  ["workers/index.ts", 'import "../test/support/model-server.ts"'],
  ["workers/dispatch.ts", 'import "./oracle/app.ts"'],
  ["workers/create-oracle-app.ts", 'import "./registry/app.ts"'],
  ["workers/compose-oracle.ts", 'import "../durable-objects/chat-session/run-log.ts"'],
  ["workers/surfaces.ts", 'import "../durable-objects/chat-session.ts"'],
  ["workers/oracle/app.ts", 'import "../registry/app.ts"'],
  ["workers/oracle/routes/sessions.ts", 'import "../../registry/store.ts"'],
  ["workers/oracle/routes/sessions.ts", 'import type { Row } from "../../registry/store.ts"'],
  ["workers/oracle/app.ts", 'import "../pages/config.ts"'],
  ["workers/oracle/app.ts", 'import { surfaces } from "../surfaces.ts"'],
  ["workers/oracle/app.ts", 'import "../index.ts"'],
  ["workers/oracle/app.ts", 'import { ChatSession } from "../../durable-objects/chat-session.ts"'],
  ["workers/oracle/app.ts", 'export { limit } from "../../durable-objects/chat-session/calls.ts"'],
  ["workers/oracle/app.ts", 'await import("../../durable-objects/chat-session.ts")'],
  ["oracle/plugins/notes/plugin.ts", 'import "../../boot/boot.ts"'],
  ["oracle/plugins/notes/plugin.ts", 'import "../memory/plugin.ts"'],
  ["oracle/plugins/notes/plugin.ts", 'import "../../settings.ts"'],
  ["oracle/plugins/notes/plugin.ts", 'import type { OracleRuntime } from "../../../workers/oracle/runtime.ts"'],
  ["oracle/plugins/notes/plugin.ts", 'import "../../../platform/http/body.ts"'],
  ["oracle/plugins/notes/plugin.ts", 'import "../../../platform/config.ts"'],
  ["oracle/plugins/notes/plugin.ts", 'import "../../../workers/registry/app.ts"'],
  ["oracle/plugins/notes/plugin.ts", 'import type { Notes } from "../../../durable-objects/notes.ts"'],
  ["oracle/plugins/notes/parts/one.ts", 'import "../../memory/plugin.ts"'],
  ["oracle/plugins/notes/parts/one.ts", 'import "../../../settings.ts"'],
  ["workers/registry/router.ts", 'import "./port.ts"'],
  ["workers/ussd/app.ts", 'import "../registry/port.ts"'],
  ["workers/query-gateway/app.ts", 'import "../ussd/app.ts"'],
  ["workers/ussd/accounts/login.ts", 'import "../sms/outbox.ts"'],
  ["workers/ussd/session-client.ts", 'import type { UssdContext } from "./http/context.ts"'],
  ["workers/query-gateway/gateway.ts", 'import "./openapi/operation.ts"'],
  ["workers/query-gateway/upstream/pool/node-call.ts", 'import type { Call } from "../../serve/plan-call.ts"'],
  ["workers/query-gateway/json/scalars.ts", 'import "../../registry/app.ts"'],
  ["workers/pages/health.ts", 'import "../oracle/config.ts"'],
  ["platform/log.ts", 'import "../workers/surfaces.ts"'],
  ["platform/http/cors.ts", 'import "../../oracle/settings.ts"'],
  ["platform/http/cors.ts", 'import type { Row } from "../../durable-objects/chat-session/calls.ts"'],
  ["durable-objects/chat-session.ts", 'import { Hono } from "hono"'],
  ["durable-objects/chat-session.ts", 'import { streamSSE } from "hono/streaming"'],
  ["durable-objects/chat-session.ts", 'import "../workers/oracle/config.ts"'],
  ["durable-objects/chat-session/turn.ts", 'import type { App } from "../../workers/oracle/app.ts"'],
  ["durable-objects/chat-session/turn.ts", 'import { zValidator } from "@hono/zod-validator"'],
  ["durable-objects/chat-session/turn.ts", 'import { DurableObject } from "cloudflare:workers"'],
  ["durable-objects/ussd-session/screen/render.ts", 'import type { StateMeta } from "../menus/menu.ts"'],
  ["durable-objects/ussd-session/menus/login.ts", 'import "../session/record.ts"'],
  ["durable-objects/chat-session/session.ts", 'import { ChatSessionCalls } from "./calls.ts"'],
  ["oracle/runs/run-queue.ts", 'import type { RunFacts } from "../agent/run-context.ts"'],
  ["oracle/agent/run-agent.ts", 'import type { Session } from "../../durable-objects/chat-session/session.ts"'],
  ["oracle/agent/run-agent.ts", 'import type { Oracle } from "../boot/boot.ts"'],
  ["oracle/framework/context.ts", 'import type { ActiveRun } from "../runs/active-run.ts"'],
  ["oracle/framework/plugin-routes.ts", 'import { Hono } from "hono"'],
  ["workers/registry/router.ts", 'import "../../oracle/framework/tools.ts"'],
  ["shared/septets.ts", 'import "../platform/json.ts"'],
  ["shared/septets.ts", 'import * as z from "zod"'],
  ["durable-objects/chat-session/sockets/chat-channel.ts", 'import type { ChatSession } from "../session.ts"'],
  ["socketio/packet.ts", 'import "../durable-objects/chat-session.ts"'],
  ["durable-objects/chat-session.ts", 'import "../socketio/server.ts"'],
  ["durable-objects/chat-session/turn.ts", 'import type { Options } from "../../socketio/options.ts"'],
  ["durable-objects/chat-session/sockets/channel.ts", 'import "../../../socketio/engine/engine.ts"'],
  ["bench/bare/rooms.ts", 'import "../../socketio/ports.ts"'],
  ["socketio/engine/frames.ts", 'import "../../platform/json.ts"'],
  ["protocol/frames.ts", 'import "../platform/json.ts"'],
  ["protocol/frames.ts", 'import { Hono } from "hono"'],
  ["protocol/frames.ts", 'import { DurableObject } from "cloudflare:workers"'],
  ["sdk/src/client.ts", 'import type { Frame } from "../../durable-objects/chat-session/calls.ts"'],
  ["sdk/src/core/chat.ts", 'import { useEffect } from "react"'],
  ["sdk/src/core/chat.ts", 'import "../react/use-chat.ts"'],
  ["sdk/src/core/chat.ts", 'await import("../matrix/rooms.ts")'],
  ["sdk/src/core/chat.ts", 'import "./index.ts"'],
  ["sdk/src/react/use-chat.ts", 'import "../core/index.ts"'],
  ["sdk/src/react/use-chat.ts", 'import "../index.ts"'],
  ["sdk/src/react/use-chat.ts", 'await import("livekit-client")'],
  ["sdk/src/react/use-chat.ts", 'import type { Call } from "../live-agent/call.ts"'],
  ["sdk/src/ai-sdk/transport.ts", 'import "../react/use-chat.ts"'],
  ["console/src/main.tsx", 'import "../../platform/json.ts"'],
  ["console/src/main.tsx", 'import "../../sdk/src/index.ts"'],
  ["console/src/votes/votes-screen.tsx", 'import { frames } from "../../../protocol/frames.ts"'],
  ["console/src/votes/votes-screen.tsx", 'import "../registry/domain-link.tsx"'],
  ["console/src/votes/parts/tally.tsx", 'import "../../keys/keys-screen.tsx"'],
  ["console/src/votes/votes-screen.tsx", 'await import("../phone/phone-screen.tsx")'],
  ["console/src/votes/votes-screen.tsx", 'import "../main.tsx"'],
  ["console/src/shell/frame.tsx", 'import "../home/home-screen.tsx"'],
  ["console/src/live/live-changes.tsx", 'import "../shell/frame.tsx"'],
  ["console/src/session/use-caller.ts", 'import type { Live } from "../live/live-changes.tsx"'],
  ["console/src/kit/age.tsx", 'import "../session/use-caller.ts"'],
  ["console/src/api/api.ts", 'import "../kit/age.tsx"'],
  ["console/src/texts/home.ts", 'import "../kit/age.tsx"'],
  ["console/src/texts/home.ts", 'import { html } from "react"'],
  ["scripts/chat.ts", 'import { parseToken } from "../platform/auth/ucan-token.ts"'],
  ["scripts/chat/client.ts", 'import "../../durable-objects/chat-session/calls.ts"'],
];

const allowed: readonly (readonly [file: string, statement: string])[] = [
  ["workers/index.ts", 'import "./oracle/app.ts"'],
  ["oracle/plugins/notes/plugin.ts", 'import "./notes.ts"'],
  ["oracle/plugins/notes/plugin.ts", 'import "./parts/one.ts"'],
  ["oracle/plugins/notes/plugin.ts", 'import "../../framework/tools.ts"'],
  ["oracle/plugins/notes/plugin.ts", 'import "../../../platform/json.ts"'],
  ["oracle/plugins/notes/plugin.ts", 'import "../../../platform/digest.ts"'],
  ["oracle/plugins/notes/plugin.ts", 'import "../../../protocol/records.ts"'],
  ["oracle/plugins/notes/plugin.ts", 'import "hono"'],
  ["oracle/plugins/notes/parts/one.ts", 'import "../plugin.ts"'],
  ["oracle/plugins/notes/parts/one.ts", 'import "../../../framework/tools.ts"'],
  ["oracle/plugins/notes/parts/one.ts", 'import "../../../../platform/result.ts"'],
  ["oracle/plugins/notes/plugin.test.ts", 'import "../../../test/support/plugins/small-plugins.ts"'],
  ["workers/index.ts", 'import "./registry/port.ts"'],
  ["workers/registry/app.ts", 'import "./port.ts"'],
  ["workers/index.ts", 'import "./ussd/app.ts"'],
  ["workers/index.ts", 'import "../oracle/models/local-model.ts"'],
  ["workers/index.ts", 'import "../oracle/plugins/preferences/plugin.ts"'],
  ["workers/index.ts", 'import "../platform/http/cors.ts"'],
  ["workers/index.ts", 'import "./dispatch.ts"'],
  ["workers/index.ts", 'import "./pages/config.ts"'],
  ["workers/index.ts", 'import "../durable-objects/chat-session.ts"'],
  ["workers/dispatch.ts", 'import "../platform/http/cors.ts"'],
  ["workers/pages/health.ts", 'import "../surfaces.ts"'],
  ["workers/oracle/routes/sessions.ts", 'import "../../../platform/result.ts"'],
  ["workers/oracle/routes/sessions.ts", 'import "../../../oracle/framework/tools.ts"'],
  ["workers/oracle/routes/sessions.ts", 'import "../config.ts"'],
  ["workers/oracle/app.ts", 'import type { SessionRecord } from "../../durable-objects/chat-session/calls.ts"'],
  ["workers/oracle/app.ts", 'import { Hono } from "hono"'],
  ["workers/query-gateway/gateway.ts", 'import "./serve/answer-cache.ts"'],
  ["workers/query-gateway/upstream/pool/node-call.ts", 'import "../upstream.ts"'],
  ["platform/http/cors.ts", 'import "../json.ts"'],
  ["durable-objects/chat-session.ts", 'import { DurableObject } from "cloudflare:workers"'],
  ["durable-objects/chat-session.ts", 'import "../platform/result.ts"'],
  ["durable-objects/chat-session.ts", 'import "../oracle/agent/run-agent.ts"'],
  ["durable-objects/chat-session/turn.ts", 'import "../../platform/http/body.ts"'],
  ["console/src/phone/size.ts", 'import "../../../shared/septets.ts"'],
  ["durable-objects/chat-session/turn.ts", 'import * as z from "zod"'],
  ["oracle/agent/run-agent.ts", 'import type { ActiveRun } from "../runs/active-run.ts"'],
  ["socketio/engine/frames.ts", 'import "../packet.ts"'],
  ["durable-objects/chat-session.ts", 'import "../socketio/index.ts"'],
  ["durable-objects/chat-session/sockets/channel.ts", 'import type { Application } from "../../../socketio/index.ts"'],
  ["bench/bare/rooms.ts", 'import "../../socketio/index.ts"'],
  ["protocol/frames.ts", 'import * as z from "zod"'],
  ["protocol/frames.ts", 'import { finishReason } from "./records.ts"'],
  ["workers/oracle/app.ts", 'import { frames } from "../../protocol/frames.ts"'],
  ["durable-objects/chat-session.ts", 'import { frames } from "../protocol/frames.ts"'],
  ["durable-objects/chat-session/turn.ts", 'import { frames } from "../../protocol/frames.ts"'],
  ["scripts/chat/client.ts", 'import { frames } from "../../protocol/frames.ts"'],
  ["sdk/src/client.ts", 'import { frames } from "../../protocol/frames.ts"'],
  ["sdk/src/index.ts", 'import "./react/use-chat.ts"'],
  ["sdk/src/core/chat.ts", 'import { io } from "socket.io-client"'],
  ["sdk/src/react/use-chat.ts", 'import "../core/chat.ts"'],
  ["sdk/src/react/use-chat.test.tsx", 'import "../../../test/support/oracle/oracle-on-a-port.ts"'],
  ["sdk/src/live-agent/call.ts", 'await import("livekit-client")'],
  ["sdk/src/live-agent/use-live-agent.ts", 'import "../react/oracles-context.ts"'],
  ["console/src/main.tsx", 'import "./votes/votes-screen.tsx"'],
  ["console/src/votes/votes-screen.tsx", 'import type { Frame } from "../../../protocol/frames.ts"'],
  ["console/src/votes/votes-screen.tsx", 'import { createChat } from "@twinedge/sdk/core"'],
  ["console/src/votes/votes-screen.tsx", 'import "./parts/tally.tsx"'],
  ["console/src/votes/parts/tally.tsx", 'import "../../kit/age.tsx"'],
  ["console/src/votes/votes-screen.tsx", 'import "../shell/palette-commands.tsx"'],
  ["console/src/live/live-changes.tsx", 'import "../session/use-caller.ts"'],
  ["console/src/kit/age.tsx", 'import "../texts/kit.ts"'],
  ["console/src/votes/tally.test.ts", 'import "../../shared/vote-tally.ts"'],
  ["scripts/console/document.ts", 'import { describeUssd } from "../../workers/ussd/http/openapi.ts"'],
  ["scripts/start.ts", 'import { surfaces } from "../workers/surfaces.ts"'],
  ["workers/registry/port.test.ts", 'import "./port.ts"'],
];

/** The messages of `no-restricted-imports` by file and line; each statement is on its own line. */
let refusals: ReadonlySet<string>;
let tree: string;

beforeAll(() => {
  tree = mkdtempSync(join(tmpdir(), "import-rules-"));
  cpSync(join(project, "oxlint.config.ts"), join(tree, "oxlint.config.ts"));
  mkdirSync(join(tree, "scripts/check"), { recursive: true });
  for (const file of ["import-rules.ts", "import-rows.ts"])
    cpSync(join(project, "scripts/check", file), join(tree, "scripts/check", file));
  symlinkSync(join(project, "node_modules"), join(tree, "node_modules"));
  const lines = new Map<string, string[]>();
  for (const [file, statement] of [...refused, ...allowed]) {
    lines.set(file, [...(lines.get(file) ?? []), statement]);
  }
  for (const [file, statements] of lines) {
    mkdirSync(dirname(join(tree, file)), { recursive: true });
    writeFileSync(join(tree, file), `${statements.join(";\n")};\n`);
  }
  const diagnostics = lint([...lines.keys()]);
  // A file that does not parse is not linted, and would count as allowed.
  const unparsed = diagnostics.find(({ code }) => code === undefined);
  if (unparsed !== undefined) throw new Error(`${unparsed.filename} does not parse`);
  refusals = new Set(
    diagnostics
      .filter(({ code }) => code === "eslint(no-restricted-imports)")
      .map(({ filename, labels }) => `${filename}:${lines.get(filename)?.[(labels[0]?.span.line ?? 0) - 1]}`),
  );
});

afterAll(() => rmSync(tree, { recursive: true, force: true }));

test.each(refused)("%s may not: %s", (file, statement) => {
  expect(refusals).toContain(`${file}:${statement}`);
});

test.each(allowed)("%s may: %s", (file, statement) => {
  expect(refusals).not.toContain(`${file}:${statement}`);
});

interface Diagnostic {
  readonly code?: string;
  readonly filename: string;
  readonly labels: readonly { readonly span: { readonly line: number } }[];
}

/** Exit code 1 is expected, since imports are refused. */
function lint(files: readonly string[]): readonly Diagnostic[] {
  const binary = join(project, "node_modules/.bin/oxlint");
  try {
    execFileSync(process.execPath, [binary, "--format", "json", ...files], {
      cwd: tree,
      encoding: "utf8",
      stdio: "pipe",
    });
  } catch (error) {
    const { stdout } = error as { stdout: string };
    return (JSON.parse(stdout) as { diagnostics: Diagnostic[] }).diagnostics;
  }
  throw new Error("lint refused nothing");
}

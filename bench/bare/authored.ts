/** An author's oracle with the bundled plugins and two middlewares whose hooks do nothing. */
import { createOracleApp, defineOraclePlugin, type AgentMiddleware } from "../../workers/oracle/index.ts";

const idle = (name: string): AgentMiddleware => ({
  name,
  beforeAgent: () => undefined,
  beforeModel: () => undefined,
  wrapModelCall: (request, next) => next(request),
  afterModel: () => undefined,
  wrapToolCall: (request, next) => next(request),
  afterAgent: () => undefined,
});

const hooked = defineOraclePlugin({
  name: "hooked",
  version: "1.0.0",
  manifest: { title: "Hooks", summary: "Hooks that do nothing.", whenToUse: ["never"], visibility: "silent" },
  getMiddlewares: () => [idle("first"), idle("second")],
});

const oracle = createOracleApp({ config: { name: "Oracle" }, plugins: [hooked] });
export default oracle;
export class ChatSession extends oracle.ChatSession {}
export class UserVault extends oracle.UserVault {}

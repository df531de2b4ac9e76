/** An oracle without plugins, the baseline for the cost of plugins. */
import { createOracleApp } from "../../workers/oracle/index.ts";

const oracle = createOracleApp({ config: { name: "Oracle" }, bundledPlugins: [] });
export default oracle;
export class ChatSession extends oracle.ChatSession {}
export class UserVault extends oracle.UserVault {}

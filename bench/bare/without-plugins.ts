/** An oracle without any plugin, beside which the cost of plugins is measured. */
import { createOracleApp } from "../../workers/oracle/index.ts";

const oracle = createOracleApp({ config: { name: "Oracle" }, bundledPlugins: [] });
export default oracle;
export class ChatSession extends oracle.ChatSession {}
export class UserVault extends oracle.UserVault {}

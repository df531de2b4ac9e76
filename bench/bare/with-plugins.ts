/** An oracle with every plugin in the package; the bench's variables turn them on. */
import { createOracleApp } from "../../workers/oracle/index.ts";

const oracle = createOracleApp({ config: { name: "Oracle" } });
export default oracle;
export class ChatSession extends oracle.ChatSession {}
export class UserVault extends oracle.UserVault {}
export class CreditLedger extends oracle.CreditLedger {}

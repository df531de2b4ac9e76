/** An oracle with the console, and a tool that needs the user's approval and counts its calls. */
import { createOracleApp, defineOraclePlugin, tool, z } from "../../../../workers/oracle/index.ts";

let payments = 0;

const paying = defineOraclePlugin({
  name: "paying",
  version: "1.0.0",
  manifest: { title: "Paying", summary: "Pays.", whenToUse: ["paying"], visibility: "always" },
  getTools: () => [
    tool(
      async ({ to, amount }) => {
        payments += 1;
        return `Paid ${amount} to ${to}: payment number ${payments}`;
      },
      {
        name: "pay",
        description: "Pays somebody",
        schema: z.object({ to: z.string(), amount: z.number(), lines: z.array(z.string()).optional() }),
        needsApproval: true,
      },
    ),
  ],
});

const oracle = createOracleApp({ config: { name: "Asking" }, plugins: [paying] });
export default oracle;
export class ChatSession extends oracle.ChatSession {}
export class UserVault extends oracle.UserVault {}

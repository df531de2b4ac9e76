/** An oracle whose tools report to a counter that they have begun, and wait for its answer: a test kills it at that moment. */
import { createOracleApp, defineOraclePlugin, tool, z } from "../../../../workers/oracle/index.ts";

const counting = defineOraclePlugin({
  name: "counting",
  version: "1.0.0",
  manifest: { title: "Counting", summary: "Counts.", whenToUse: ["counting"], visibility: "always" },
  configSchema: z.object({ COUNTER_URL: z.string() }),
  getTools: ({ config }) => {
    const declare = (name: string, effect: "read" | "write", needsApproval = false) =>
      tool(
        async (_, { toolCallId }) => {
          const response = await fetch(`${config.COUNTER_URL}/${name}/${toolCallId}`, { method: "POST" });
          return await response.text();
        },
        { name, description: "Counts its calls", schema: z.object({}), effect, needsApproval },
      );
    return [declare("look", "read"), declare("pay", "write"), declare("ask", "write", true)];
  },
});

const oracle = createOracleApp({ config: { name: "Counting" }, plugins: [counting] });
export default oracle;
export class ChatSession extends oracle.ChatSession {}
export class UserVault extends oracle.UserVault {}

/** Browser tools: functions of this page that the oracle can call. The results are sent over the socket. */
import type { IBrowserTools } from "@twinedge/sdk";
import * as z from "zod";

export const browserTools: IBrowserTools = {
  page_title: {
    toolName: "page_title",
    description: 'The title of the page that the user looks at\nExample: "What is the title of this page?" {}',
    schema: z.object({}),
    fn: async () => ({ title: document.title }),
  },
  local_time: {
    toolName: "local_time",
    description: `The user's local time and time zone\nExample: "What time is it here?" {}`,
    schema: z.object({}),
    fn: async () => ({
      time: new Date().toLocaleString(),
      timeZone: Intl.DateTimeFormat().resolvedOptions().timeZone,
    }),
  },
};

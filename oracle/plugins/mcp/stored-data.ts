/** The plugin's values (platform/stored-data.ts). */
import type { StoredData } from "../../../platform/stored-data.ts";

export const mcpValues: StoredData = {
  place: "UserVault",
  holdings: {
    "mcp: grants and sign-ins": {
      about: ["chat user"],
      holds: "tokens of MCP servers that the user signed in to, encrypted, and unfinished sign-ins",
      why: "tools of these servers",
      kept: "until the user signs out or the sign-in expires",
      erased: "deleted",
    },
    "mcp: known/<session>": {
      about: ["chat user"],
      holds: "tools that a session has seen",
      why: "a changed tool is noticed",
      kept: "the newest sessions",
      erased: "deleted",
    },
    "mcp: lists, pins and health, in the object oracle:plugins": "tools and states of the servers",
  },
};

/** After a sign-out: the page asks who is signed in, and forgets all data that the session has read. */
import type { QueryClient } from "@tanstack/react-query";

export async function forgetStaff(queries: QueryClient): Promise<void> {
  // This comes first, so that the parts below it are removed and do not read their data again.
  await queries.resetQueries({ queryKey: ["staff", "me"] });
  queries.removeQueries({ predicate: ({ queryKey: [area, part] }) => area === "staff" && part !== "me" });
}

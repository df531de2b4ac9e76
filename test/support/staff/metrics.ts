/** The lines of `GET /metrics`, as the operator reads them. */
import { ADMIN_TOKEN, staffEdge } from "./staff-edge.ts";

export const operator = { Authorization: `Bearer ${ADMIN_TOKEN}` };

export async function linesOf(edge = staffEdge()): Promise<readonly string[]> {
  const { status, body } = await edge.browser().call("GET", "/metrics", { headers: operator });
  if (status !== 200) throw new Error(`GET /metrics returned ${status}`);
  return String(body).split("\n");
}

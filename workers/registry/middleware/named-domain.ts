/** The domain that a path names, raw or percent-encoded; the router has decoded it. */
import { success } from "../../platform/result.ts";
import type { RegistryContext } from "../context.ts";
import { isDid } from "../did.ts";
import { refused, type Outcome } from "../problem.ts";

export function namedDomain(c: RegistryContext): Outcome<string> {
  const id = c.req.param("id") ?? "";
  return isDid(id) ? success(id) : refused("invalid_did", "The path must name a domain by its DID");
}

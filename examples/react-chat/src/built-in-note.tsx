/** A note that the oracle's built-in model answers. `GET /models` returns the family `local` for that model. */
import { useModels } from "@twinedge/sdk";
import { ORACLE_URL } from "./sign-in.ts";

const overrides = { baseUrl: ORACLE_URL };
const BUILT_IN = "local";

export function BuiltInNote({ oracleDid }: { readonly oracleDid: string }) {
  // Oracles may return families that the type does not list.
  const family: string | undefined = useModels(oracleDid, overrides).defaultModel?.family;
  if (family !== BUILT_IN) return null;
  return (
    <p className="quiet">
      Built-in model: answers the suggestions. Set <code>LLM_PROVIDER</code> for a real one.
    </p>
  );
}

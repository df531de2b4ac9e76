/** Says that the built-in model answers, as long as it is the chosen one. `GET /models` gives it the family `local`. */
import { useModels } from "@twinedge/sdk";
import { chatTexts } from "../texts/chat.ts";
import { ownOracle, useChatParts } from "./chat-context.ts";

const BUILT_IN = "local";

export function BuiltInNote({ model }: { readonly model: string }) {
  const { oracleDid } = useChatParts();
  const { models, defaultModelId } = useModels(oracleDid, ownOracle);
  const chosen = models.find(({ id }) => id === (model === "" ? defaultModelId : model));
  // Other oracles name families that the type does not list.
  const family: string | undefined = chosen?.family;
  if (family !== BUILT_IN) return null;
  const { before, variable, after } = chatTexts.builtIn;
  return (
    <span className="muted small">
      {before}
      <code>{variable}</code>
      {after}
    </span>
  );
}

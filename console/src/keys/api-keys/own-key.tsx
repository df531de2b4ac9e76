/** The key that this tab uses, which is all that it sees without the operator's token. */
import { Loaded } from "../../kit/loaded.tsx";
import { useCaller } from "../../session/use-caller.ts";
import { useCredentials } from "../../session/use-credentials.ts";
import { keysTexts } from "../../texts/keys.ts";
import { KeyFacts } from "./key-facts.tsx";
import { ScopeList } from "./scope-list.tsx";

export function OwnKey() {
  const { apiKey } = useCredentials();
  const query = useCaller();
  if (apiKey === undefined) return null;
  return (
    <section className="card" aria-labelledby="own-key">
      <h2 id="own-key">{keysTexts.ownKey}</h2>
      <p className="muted">{keysTexts.ownKeyLead}</p>
      <Loaded query={query}>
        {(key) => (
          <div className="stack">
            <KeyFacts apiKey={key} />
            {key.createdAt === undefined && <p className="hint">{keysTexts.configured}</p>}
            <h3>{keysTexts.mayDo}</h3>
            <ScopeList held={key.scopes ?? []} />
          </div>
        )}
      </Loaded>
    </section>
  );
}

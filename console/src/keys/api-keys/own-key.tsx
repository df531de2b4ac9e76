/** What is shown without the operator's token: why the list is not, and the key that this tab uses. */
import { EmptyState } from "../../kit/empty-state.tsx";
import { Loaded } from "../../kit/loaded.tsx";
import { SignInNotice } from "../../kit/sign-in-notice.tsx";
import { useSignInRequest } from "../../kit/sign-in-request.ts";
import { useCaller } from "../../session/use-caller.ts";
import { useCredentials } from "../../session/use-credentials.ts";
import { keysTexts } from "../../texts/keys.ts";
import { kitTexts } from "../../texts/kit.ts";
import { KeyFacts } from "./key-facts.tsx";
import { ScopeList } from "./scope-list.tsx";

export function OperatorNotice() {
  const { apiKey } = useCredentials();
  const requestSignIn = useSignInRequest();
  if (apiKey === undefined)
    return (
      <EmptyState title={keysTexts.nobody}>
        <p>{keysTexts.nobodyWhy}</p>
        <button type="button" className="primary" onClick={requestSignIn}>
          {kitTexts.signIn}
        </button>
      </EmptyState>
    );
  return <SignInNotice title={keysTexts.operatorNeeded}>{keysTexts.operatorNeededWhy}</SignInNotice>;
}

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

/** Whom a new key speaks for: the DID of this tab's key, one that is entered, or a did:key made here. */
import { useId, useState } from "react";
import { Field } from "../../kit/field.tsx";
import { freshDid as makeDid } from "../../kit/fresh-did.ts";
import { DidText } from "../../kit/person.tsx";
import { useCaller } from "../../session/use-caller.ts";
import { type DidChoice, type KeyDraft, didChoiceOf } from "./key-draft.ts";

const didChoices = { own: "The DID of my key", other: "Another DID", fresh: "A new did:key" };

export interface DidFieldsProps {
  readonly draft: KeyDraft;
  readonly error: string | undefined;
  readonly onChange: (changed: Partial<KeyDraft>) => void;
}

export function DidFields({ draft, error, onChange }: DidFieldsProps) {
  const { otherDid, freshDid } = draft;
  const id = useId();
  const own = useCaller().data?.did;
  const chosen = didChoiceOf(draft, own);
  const [isUnable, setIsUnable] = useState(false);
  const choices: readonly DidChoice[] = own === undefined ? ["other", "fresh"] : ["own", "other", "fresh"];

  const choose = (choice: DidChoice): void => {
    onChange({ didChoice: choice });
    if (choice !== "fresh" || freshDid !== "") return;
    makeDid().then(
      (made) => onChange({ freshDid: made }),
      () => setIsUnable(true),
    );
  };

  return (
    <fieldset className="choices" aria-describedby={`${id}-hint`}>
      <legend>Holder of the key</legend>
      <p className="hint" id={`${id}-hint`}>
        What is done with the key is recorded under this DID, which also controls the domains that it creates.
      </p>
      {choices.map((choice) => (
        <label key={choice}>
          <input type="radio" name={id} checked={chosen === choice} onChange={() => choose(choice)} />
          <span className="row wrap">
            {didChoices[choice]}
            {choice === "own" && own !== undefined && <DidText id={own} />}
          </span>
        </label>
      ))}
      {chosen === "other" && (
        <Field label="The DID" error={error}>
          {(ids) => (
            <input
              {...ids}
              className="code"
              value={otherDid}
              placeholder="did:web:example.org"
              spellCheck={false}
              autoComplete="off"
              onChange={(event) => onChange({ otherDid: event.target.value })}
            />
          )}
        </Field>
      )}
      {chosen === "fresh" && (
        <div className="stack tight" role="status">
          <p>
            {isUnable ? (
              "This browser cannot make a did:key. Enter another DID."
            ) : freshDid === "" ? (
              "Making one…"
            ) : (
              <DidText id={freshDid} canCopy />
            )}
          </p>
          <p className="hint">
            Made here, as “npm run keys” makes it. Nobody keeps its private key, so it acts through API keys alone.
          </p>
        </div>
      )}
      {chosen !== "other" && error !== undefined && <p className="field-error">{error}</p>}
    </fieldset>
  );
}

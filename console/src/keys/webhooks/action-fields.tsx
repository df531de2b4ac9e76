/** Which changes a webhook sends: every one, or those that are chosen. */
import { useId } from "react";
import { changeName } from "../../texts/changes.ts";
import { webhooksTexts } from "../../texts/webhooks.ts";
import { actions, type Action } from "./webhook.ts";

export interface ActionFieldsProps {
  readonly isEvery: boolean;
  readonly chosen: readonly Action[];
  readonly error: string | undefined;
  readonly onEvery: (isEvery: boolean) => void;
  readonly onChosen: (chosen: readonly Action[]) => void;
}

export function ActionFields({ isEvery, chosen, error, onEvery, onChosen }: ActionFieldsProps) {
  const id = useId();
  const toggle = (action: Action): void =>
    onChosen(actions.filter((each) => (each === action) !== chosen.includes(each)));
  return (
    <fieldset className="choices">
      <legend>{webhooksTexts.actionsLegend}</legend>
      {[true, false].map((every) => (
        <label key={String(every)}>
          <input type="radio" name={id} checked={isEvery === every} onChange={() => onEvery(every)} />
          {every ? webhooksTexts.all : webhooksTexts.some}
        </label>
      ))}
      {!isEvery && (
        <ul className="action-choices" aria-label={webhooksTexts.some}>
          {actions.map((action) => (
            <li key={action}>
              <label>
                <input
                  type="checkbox"
                  checked={chosen.includes(action)}
                  aria-invalid={error === undefined ? undefined : true}
                  aria-describedby={error === undefined ? undefined : `${id}-error`}
                  onChange={() => toggle(action)}
                />
                {changeName(action)}
              </label>
            </li>
          ))}
        </ul>
      )}
      {error !== undefined && (
        <p className="field-error" id={`${id}-error`}>
          {error}
        </p>
      )}
    </fieldset>
  );
}

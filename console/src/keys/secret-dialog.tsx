/** Shows a new secret once. */
import { Field } from "../kit/field.tsx";
import { OnceDialog } from "../kit/once-dialog.tsx";
import { keysTexts } from "../texts/keys.ts";

const secretTitles = { key: "Store the new key now", webhook: "Store the signing secret now" };

const secretLead = {
  key: "This is the only time it is shown: the registry keeps only a digest. Anyone who has it can use all its scopes.",
  webhook: "This is the only time it is shown. The receiver uses it to check that messages come from this registry.",
};

const secretLabel = { key: "API key", webhook: "Signing secret" };

const copySecret = { key: "Copy the key", webhook: "Copy the secret" };

export interface SecretDialogProps {
  readonly kind: "key" | "webhook";
  readonly secret: string;
  readonly onStored: () => void;
}

export function SecretDialog({ kind, secret, onStored }: SecretDialogProps) {
  return (
    <OnceDialog
      title={secretTitles[kind]}
      lead={secretLead[kind]}
      shown={secret}
      label={secretLabel[kind]}
      copyLabel={copySecret[kind]}
      confirmation="I have stored it where I can find it again"
      reminder="First store it and confirm above: it cannot be shown again."
      loss="The secret is shown only once. If you have not stored it, it is lost."
      onDone={onStored}
    />
  );
}

/** Seconds. The longest is the registry's limit. */
const overlaps = [0, 3_600, 86_400, 259_200, 604_800] as const;
export type Overlap = (typeof overlaps)[number];

/** Seconds: long enough to deploy the new secret. */
export const USUAL_OVERLAP: Overlap = 86_400;

export interface OverlapChoiceProps {
  readonly label: string;
  readonly overlap: Overlap;
  readonly onChange: (overlap: Overlap) => void;
}

export function OverlapChoice({ label, overlap, onChange }: OverlapChoiceProps) {
  return (
    <Field label={label}>
      {(ids) => (
        <select
          {...ids}
          value={overlap}
          onChange={(event) => onChange(overlaps.find((each) => String(each) === event.target.value) ?? USUAL_OVERLAP)}
        >
          {overlaps.map((each) => (
            <option key={each} value={each}>
              {keysTexts.overlaps[each]}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}

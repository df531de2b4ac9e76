/** How long an old key or secret keeps working after a rotation: from not at all to the week that the registry allows. */
import { Field } from "../kit/field.tsx";
import { keysTexts } from "../texts/keys.ts";

/** Seconds. The longest is the registry's limit. */
const overlaps = [0, 3_600, 86_400, 259_200, 604_800] as const;
export type Overlap = (typeof overlaps)[number];

/** Seconds: long enough to bring the new one to where the old one is. */
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

/** The filters in force, each with a button that takes it away. */
import { Icon } from "../../kit/icon.tsx";
import { shortened } from "../../kit/did-text.tsx";
import { typeName } from "../../texts/domain-types.ts";
import { registryTexts } from "../../texts/registry.ts";
import { chipsOf, withoutFilters, type Chip, type ListState } from "./list-address.ts";

interface FilterChipsProps {
  readonly state: ListState;
  readonly onChange: (changed: Partial<ListState>) => void;
}

export function FilterChips({ state, onChange }: FilterChipsProps) {
  const chips = chipsOf(state);
  if (chips.length === 0) return null;
  return (
    <ul className="row wrap chips" aria-label={registryTexts.activeFilters}>
      {chips.map((chip) => (
        <li key={`${chip.name} ${chip.value}`}>
          <button
            type="button"
            className="chip"
            title={chip.value}
            aria-label={registryTexts.removeFilter(registryTexts.filters[chip.name], wordsOf(chip))}
            onClick={() => onChange(chip.without)}
          >
            <span className="muted">{registryTexts.filters[chip.name]}</span> {wordsOf(chip)}
            <Icon name="close" />
          </button>
        </li>
      ))}
      <li>
        <button type="button" className="ghost small" onClick={() => onChange(withoutFilters)}>
          {registryTexts.resetFilters}
        </button>
      </li>
    </ul>
  );
}

function wordsOf({ name, value }: Chip): string {
  if (name === "type") return shortened(typeName(value));
  const names: Readonly<Record<string, string>> =
    name === "status" ? registryTexts.status : name === "verificationStatus" ? registryTexts.verification : {};
  return names[value] ?? shortened(value);
}

/** The members that an import leaves out: a warning, which forbids nothing. */
import { Icon } from "../../kit/icon.tsx";
import { importTexts } from "../../texts/registry-import.ts";
import { MOST_GROUPS, type LineGroup } from "./line-groups.ts";

export interface UnknownMembersProps {
  readonly unknown: readonly LineGroup[];
  /** Nothing was imported yet. */
  readonly isCheck: boolean;
}

export function UnknownMembers({ unknown, isCheck }: UnknownMembersProps) {
  const words = importTexts.unknown;
  return (
    <section className="notice warn" aria-label={words.title}>
      <Icon name="warning" />
      <div className="stack tight">
        <h3>{words.title}</h3>
        <p>{isCheck ? words.checked : words.imported}</p>
        {/* Scrolls by keyboard too. */}
        <ul className="failures" tabIndex={0} aria-label={words.title}>
          {unknown.map(({ name, count, first: [line = 0] }) => (
            <li key={name} className="wraps">
              <code>{name}</code>: {words.member(count, line)}
            </li>
          ))}
        </ul>
        {unknown.length === MOST_GROUPS && <p className="small">{words.more(MOST_GROUPS)}</p>}
      </div>
    </section>
  );
}

/** Lines of a file grouped by a property: a reason, or the name of a member. Counted, with the numbers of the first ones. */

export interface LineGroup {
  readonly name: string;
  readonly count: number;
  /** The numbers of the first lines, in the order of the file. */
  readonly first: readonly number[];
}

export interface LineGroups {
  readonly add: (name: string, line: number) => void;
  /** The current groups, in order of first appearance. */
  readonly list: () => readonly LineGroup[];
}

/** Maximum names; a file with more is wrong as a whole. */
export const MOST_GROUPS = 100;
/** Line numbers kept per name. */
export const FIRST_LINES = 5;

export function createLineGroups(): LineGroups {
  const groups = new Map<string, LineGroup>();
  return {
    add(name, line) {
      const { count, first } = groups.get(name) ?? { count: 0, first: [] };
      if (count === 0 && groups.size === MOST_GROUPS) return;
      groups.set(name, { name, count: count + 1, first: first.length < FIRST_LINES ? [...first, line] : first });
    },
    list: () => [...groups.values()],
  };
}

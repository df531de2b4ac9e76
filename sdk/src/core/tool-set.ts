/**
 * The tools of one kind over all components that bring some. Of two with the same name that of the newer owner counts; when it
 * goes, the other is back.
 */
export interface ToolSet<Tool> {
  /** Whether the names changed. Throws, and changes nothing, for a wrong name or too many tools. */
  set(owner: object, tools: readonly Tool[]): boolean;
  delete(owner: object): boolean;
  get(name: string): Tool | undefined;
  all(): readonly Tool[];
  names(): readonly string[];
}

export function createToolSet<Tool>(nameOf: (tool: Tool) => string, limit: number): ToolSet<Tool> {
  let owners: ReadonlyMap<object, readonly Tool[]> = new Map();
  let byName: ReadonlyMap<string, Tool> = new Map();
  let names: readonly string[] = [];

  function replace(next: ReadonlyMap<object, readonly Tool[]>): boolean {
    const tools = new Map([...next.values()].flat().map((tool) => [nameOf(tool), tool] as const));
    if (tools.size > limit) throw new RangeError(`A page offers at most ${limit} tools of a kind, not ${tools.size}.`);
    owners = next;
    byName = tools;
    const before = names;
    names = [...tools.keys()].toSorted();
    return names.length !== before.length || names.some((name, index) => name !== before[index]);
  }

  return {
    set: (owner, tools) => replace(new Map(owners).set(owner, tools)),
    delete: (owner) => replace(new Map([...owners].filter(([each]) => each !== owner))),
    get: (name) => byName.get(name),
    all: () => [...byName.values()],
    names: () => names,
  };
}

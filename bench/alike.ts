/**
 * A ratio is fair only if the compared Workers differ just in their own code. This checks everything else: compatibility, what the
 * runtime puts in front of a Worker (the asset router costs 0.18 ms per request), and how it is reached.
 */

/** Intended differences: a Worker's code, its data and its settings. */
const OWN: readonly string[] = [
  "name",
  "modules",
  "modulesRoot",
  "durableObjects",
  "d1Databases",
  "hyperdrives",
  "bindings",
];

export interface MeasuredWorker {
  readonly name: string;
  readonly unsafeDirectSockets: readonly { readonly host: string; readonly port: number }[];
}

/** @throws Error that names the first differing Worker and member. */
export function assertAlike(workers: readonly MeasuredWorker[]): void {
  const [first, ...others] = workers;
  if (first === undefined) return;
  for (const worker of others) {
    const [expected, actual] = [frameOf(first), frameOf(worker)];
    for (const member of new Set([...expected.keys(), ...actual.keys()]))
      if (expected.get(member) !== actual.get(member))
        throw new Error(`the Workers ${first.name} and ${worker.name} differ in ${member}: give both the same`);
  }
}

/** Each member that must be equal, as JSON. Sockets may differ only in their port. */
function frameOf(worker: MeasuredWorker): ReadonlyMap<string, string> {
  const sockets = worker.unsafeDirectSockets.map(({ port: _port, ...socket }) => socket);
  const members = Object.entries({ ...worker, unsafeDirectSockets: sockets });
  return new Map(members.filter(([name]) => !OWN.includes(name)).map(([name, value]) => [name, JSON.stringify(value)]));
}

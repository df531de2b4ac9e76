/** The faults in a development server's `GET /health`, as sentences for the terminal. */

/** The members of the record that are read. */
export interface HealthReport {
  readonly database?: string;
  /** Changes needed before public use. */
  readonly warnings?: readonly string[];
  /** Surfaces with the names of their wrong variables. */
  readonly misconfigured?: Readonly<Record<string, readonly string[]>>;
  readonly configuration?: readonly {
    readonly surface: string;
    readonly variable: string;
    readonly problem: string;
    readonly example?: string;
  }[];
}

export function faultsOf({ database, misconfigured = {}, configuration }: HealthReport): readonly string[] {
  const unreachable = database === "connected" || database === undefined ? [] : [`The database is ${database}.`];
  const sentences = configuration?.map(
    ({ surface, variable, problem, example }) =>
      `${variable} ${problem}${example === undefined ? "" : `; for example: ${example}`} (${surface})`,
  );
  // A server outside development returns only the names.
  const names = Object.entries(misconfigured).flatMap(([surface, variables]) =>
    variables.map((variable) => `${variable} is wrong (${surface}); the log says why`),
  );
  return [...unreachable, ...new Set(sentences ?? names)];
}

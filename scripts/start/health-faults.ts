/** What `GET /health` of a development server says is wrong, as sentences for the terminal. */

/** The members of the record that are read here. */
export interface HealthReport {
  readonly database?: string;
  /** What to change before strangers come. */
  readonly warnings?: readonly string[];
  /** Surface to the names of its wrong variables. */
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
  // A server that does not run in development tells the names alone.
  const names = Object.entries(misconfigured).flatMap(([surface, variables]) =>
    variables.map((variable) => `${variable} is wrong (${surface}); the log says why`),
  );
  return [...unreachable, ...new Set(sentences ?? names)];
}

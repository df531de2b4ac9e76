/** The shared state of a plugin: its section of the prompt, and the state that its hooks read. */

/** The plugin's addition to the prompt, and the value that its other hooks read as `ctx.state`. */
export interface SharedState {
  /** A section of the system prompt, with its heading; empty when there is nothing to add. */
  readonly promptSection?: string;
  /** Replaces the oracle's own name in the opening line. */
  readonly agentName?: string;
}

/** Any object whose section and name, if present, are texts. `object` also admits types that have neither. */
export type Shareable = SharedState & object;

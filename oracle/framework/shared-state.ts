/** What a plugin shares with the turn: its part of the prompt and the state that its hooks read. */

/** What a plugin adds to the prompt, and what its other hooks read as `ctx.state`. */
export interface SharedState {
  /** A section of the system prompt, with its heading; empty when there is nothing to add. */
  readonly promptSection?: string;
  /** Replaces the oracle's own name in the opening line. */
  readonly agentName?: string;
}

/** Any object whose section and name, if it has them, are texts: `object` also lets those pass that have neither. */
export type Shareable = SharedState & object;

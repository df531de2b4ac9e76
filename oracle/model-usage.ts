/** The tokens that one model has used. */
export interface ModelUsage {
  /** The id of the model's row. */
  readonly model: string;
  /** As its service counted them; estimated where it does not count or was broken off. */
  readonly inputTokens: number;
  readonly outputTokens: number;
}

/** The tokens that one model has used. */
export interface ModelUsage {
  /** The id of the model's row. */
  readonly model: string;
  /** As counted by the model's service; estimated if it does not count or the answer was interrupted. */
  readonly inputTokens: number;
  readonly outputTokens: number;
}

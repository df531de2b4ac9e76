/** The interface of the page `conversation` for its test, `window.conversation`: its state, and actions. */

export interface ShownMessage {
  readonly id: string;
  readonly type: string;
  /** Empty if the content is not text. */
  readonly text: string;
}

export interface ShownState {
  readonly messages: readonly ShownMessage[];
  readonly status: string | undefined;
  readonly ended: string | null;
  readonly queue: readonly { readonly id: string; readonly message: string; readonly state: string }[];
  readonly isLoading: boolean;
  readonly isLoadingEarlier: boolean;
  readonly hasEarlier: boolean;
  readonly isConnected: boolean;
  readonly error: string | undefined;
}

export interface ConversationControl {
  /** The state as of the last commit. */
  state: ShownState;
  send(message: string): void;
  abort(): Promise<void>;
  cancelQueued(id: string): boolean;
  loadEarlier(): Promise<void>;
  /** Shows another session in the page. */
  show(sessionId: string): void;
  /** When the conversation was drawn, milliseconds since the page was opened. */
  readonly drawn: number[];
  /** How often each message was drawn, by id. */
  readonly rows: Record<string, number>;
  /** Arguments of the browser tool `note` and the action `mark`, one entry per handler call. */
  readonly handled: string[];
  /** Rejections of `sendMessage`. */
  readonly refusals: string[];
}

declare global {
  var conversation: ConversationControl | undefined;
}

/** An emit as the application asks for it: to whom, how, and what becomes of the answer. */

/** Whom an emit reaches: sockets of the namespace that are in any of the rooms and in none of `except`. */
export interface Target {
  /** `/` unless given. */
  readonly namespace?: string;
  /** Room names; a socket's id names the room of it alone. Absent: all sockets of the namespace. */
  readonly rooms?: readonly string[];
  readonly except?: readonly string[];
}

export interface EmitOptions {
  /** May be dropped for a client that cannot take it at once; never recovered. */
  readonly volatile?: boolean;
  /** False: not kept for sockets that are away, and sent without the trailing offset. */
  readonly recover?: boolean;
}

export interface AwaitedAck {
  /** Key in the application's `acknowledgements`. */
  readonly handler: string;
  /** Plain JSON, handed to the handler; kept in storage. */
  readonly context?: unknown;
  readonly timeoutMs: number;
}

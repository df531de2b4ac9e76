/**
 * Emits that await the client's acknowledgement. The wait is a row with the handler's name, so it survives an eviction;
 * each ends exactly once, by the answer, by its time or by the socket's leaving.
 */
import type { AckStore, Awaited } from "./ack-store.ts";
import type { AckOutcome, Application, SocketRecord } from "./application.ts";
import type { Call } from "./callbacks.ts";
import type { ServerPorts } from "./ports.ts";
import { recordOf, type SocketStore, type StoredSocket } from "./socket-store.ts";

interface Parts<Data> {
  readonly application: Application<Data>;
  readonly acks: AckStore;
  readonly sockets: SocketStore;
  readonly call: Call;
  readonly log: ServerPorts["log"];
}

export type Acknowledgements = ReturnType<typeof createAcknowledgements>;

export function createAcknowledgements<Data>({ application, acks, sockets, call, log }: Parts<Data>) {
  function settle(socket: SocketRecord<Data>, { handler, context }: Awaited, outcome: AckOutcome): void {
    const handle = application.acknowledgements?.[handler];
    // Named by an earlier version of the application.
    if (handle === undefined) log("warn", "socketio.ack-handler-unknown", { handler });
    else call(`acknowledgements.${handler}`, () => handle(socket, outcome, context));
  }

  return {
    /** ACK has come. One that nobody awaits, or that is another's, is ignored. */
    receive(socket: StoredSocket, id: number, args: readonly unknown[]): void {
      const awaited = acks.take(socket.id, id);
      if (awaited === undefined) log("info", "socketio.ack-ignored", { ackId: id });
      else settle(recordOf<Data>(socket), awaited, { ok: true, args });
    },

    expire(now: number): void {
      for (const awaited of acks.takeDue(now)) {
        const socket = sockets.find(awaited.socketId);
        if (socket !== undefined) settle(recordOf<Data>(socket), awaited, { ok: false, reason: "timeout" });
      }
    },

    abandon(socket: SocketRecord<unknown>): void {
      for (const awaited of acks.takeOf(socket.id)) {
        settle(socket as SocketRecord<Data>, awaited, { ok: false, reason: "disconnected" });
      }
    },
  };
}

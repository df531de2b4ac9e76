/** The tables of the socket server in a chat session (socketio/database.ts, platform/stored-data.ts). */
import type { PersonalData, StoredData } from "../../../platform/stored-data.ts";

function ofUser(holds: string, kept: string): PersonalData {
  return { about: ["chat user"], holds, why: "live changes of a session", kept, erased: "deleted" };
}

export const socketData: StoredData = {
  place: "ChatSession",
  holdings: {
    socketio_sessions: ofUser("open connections: transport and first request", "until the connection ends"),
    socketio_sockets: ofUser("connected clients with the user's DID", "two minutes after the connection is lost"),
    socketio_rooms: "rooms of each socket",
    socketio_poll_buffer: ofUser("packets for a client's next request", "until the client has them"),
    socketio_acks: ofUser("pending acknowledgements", "until their deadline"),
    socketio_partials: ofUser("incomplete packets", "until they are complete or the connection ends"),
    socketio_partial_parts: ofUser("parts of incomplete packets", "until they are complete or the connection ends"),
    socketio_events: ofUser("events for clients that reconnect", "two minutes"),
    socketio_dropped_events: "the number of the newest dropped event",
    socketio_version: "the version of these tables",
  },
};

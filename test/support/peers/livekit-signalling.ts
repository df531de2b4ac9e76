/**
 * A mock of a LiveKit server's signalling for one participant at a time: a holder of a valid token joins, and the media side that
 * the test connects answers their offers. Pings, permissions and other participants are omitted.
 */
import {
  Encryption_Type,
  JoinResponse,
  ParticipantInfo,
  ParticipantInfo_State,
  ParticipantPermission,
  Room,
  SessionDescription,
  SignalRequest,
  SignalResponse,
  TrackInfo,
  TrackPublishedResponse,
  TrackSource,
  TrackType,
  type AddTrackRequest,
} from "@livekit/protocol";
import { TokenVerifier } from "livekit-server-sdk";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import type { Duplex } from "node:stream";
import { WebSocketServer, type WebSocket } from "ws";

export interface LiveKitPeer {
  /** `ws://…`. */
  readonly url: string;
  readonly variables: Readonly<Record<string, string>>;
  /** The rooms that were joined, in order. */
  readonly joined: readonly { readonly room: string; readonly identity: string }[];
  /** The tracks that clients published. */
  readonly tracks: readonly AddTrackRequest[];
  /** Number of connected clients. */
  connected(): number;
  /** Answers an offer, a client's first or a later one; without it, no media is connected. */
  media: ((offer: string, isFirst: boolean) => Promise<string>) | undefined;
  /** Refuses everyone, whatever their token says. */
  refuses: boolean;
  close(): Promise<void>;
}

const permission = new ParticipantPermission({ canPublish: true, canSubscribe: true, canPublishData: true });
const [KEY, SECRET] = ["lk", "s".repeat(32)];

export async function startLiveKit(): Promise<LiveKitPeer> {
  const joined: { room: string; identity: string }[] = [];
  const tracks: AddTrackRequest[] = [];
  const verifier = new TokenVerifier(KEY, SECRET);
  const sockets = new WebSocketServer({ noServer: true });
  const server = createServer((request, response) => {
    // After a failed websocket, clients request the reason. They probe the newer path first, and take the older one without it.
    const isKnown = request.url?.startsWith("/rtc/validate") === true;
    response.writeHead(isKnown ? 401 : 404, { "Access-Control-Allow-Origin": "*" }).end(isKnown ? "invalid token" : "");
  });

  async function claimsOf(address: URL) {
    return verifier.verify(address.searchParams.get("access_token") ?? "").catch(() => undefined);
  }

  async function upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    const address = new URL(String(request.url), "ws://livekit");
    const claims = await claimsOf(address);
    const room = claims?.video?.room;
    if (address.pathname !== "/rtc" || room === undefined || peer.refuses) {
      socket.end(`HTTP/1.1 ${address.pathname === "/rtc" ? "401 Unauthorized" : "404 Not Found"}\r\n\r\n`);
      return;
    }
    sockets.handleUpgrade(request, socket, head, (client) => welcome(client, room, String(claims?.sub)));
  }
  server.on("upgrade", (request, socket, head) => void upgrade(request, socket, head));

  function welcome(client: WebSocket, room: string, identity: string): void {
    joined.push({ room, identity });
    const send = (message: SignalResponse["message"]) => client.send(new SignalResponse({ message }).toBinary());
    const join = new JoinResponse({
      room: new Room({ sid: "RM_1", name: room }),
      participant: new ParticipantInfo({ sid: "PA_1", identity, state: ParticipantInfo_State.JOINED, permission }),
      serverVersion: "1.9.0",
      subscriberPrimary: false,
    });
    send({ case: "join", value: join });
    let offers = 0;
    client.on("message", (data: Buffer) => {
      const { message } = SignalRequest.fromBinary(data);
      if (message.case === "offer") {
        const { sdp: offer, id } = message.value;
        offers += 1;
        void peer.media?.(offer, offers === 1).then(
          (sdp) => send({ case: "answer", value: new SessionDescription({ type: "answer", sdp, id }) }),
          // The media side has disconnected meanwhile, like a closed page.
          () => client.terminate(),
        );
      }
      if (message.case === "addTrack") {
        tracks.push(message.value);
        send({ case: "trackPublished", value: published(message.value) });
      }
    });
  }

  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  const url = `ws://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const peer: LiveKitPeer = {
    url,
    variables: { LIVEKIT_URL: url, LIVEKIT_API_KEY: KEY, LIVEKIT_API_SECRET: SECRET },
    joined,
    tracks,
    connected: () => sockets.clients.size,
    media: undefined,
    refuses: false,
    async close() {
      for (const client of sockets.clients) client.terminate();
      server.closeAllConnections();
      await new Promise<void>((resolve) => void server.close(() => resolve()));
    },
  };
  return peer;
}

function published({ cid, name }: AddTrackRequest): TrackPublishedResponse {
  const track = new TrackInfo({
    sid: "TR_1",
    name,
    type: TrackType.AUDIO,
    source: TrackSource.MICROPHONE,
    encryption: Encryption_Type.GCM,
  });
  return new TrackPublishedResponse({ cid, track });
}

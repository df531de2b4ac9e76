/** The media server's end of a call, in the page itself: it answers the client's offers and keeps the frames that it is sent. */

interface EncodedFrame {
  readonly data: ArrayBuffer;
}
/** What Chromium has besides the standard. */
interface FrameReceiver {
  createEncodedStreams(): { readonly readable: ReadableStream<EncodedFrame> };
}

/** Of what an encrypted frame ends in: the length of its nonce, and the index of the shared key. */
const TRAILER = [12, 0];

export function createMediaServer() {
  let connection: RTCPeerConnection | undefined;
  const frames: Uint8Array[] = [];

  async function keepFrames(readable: ReadableStream<EncodedFrame>): Promise<void> {
    const reader = readable.getReader();
    for (let next = await reader.read(); !next.done; next = await reader.read())
      // A busy machine is late with sound and sends empty frames, which hold nothing that could be encrypted.
      if (next.value.data.byteLength > 0) frames.push(new Uint8Array(next.value.data));
  }

  function connect(): RTCPeerConnection {
    const made = new RTCPeerConnection({ encodedInsertableStreams: true } as RTCConfiguration);
    made.addEventListener("track", ({ receiver }) => {
      void keepFrames((receiver as unknown as FrameReceiver).createEncodedStreams().readable);
    });
    return made;
  }

  return {
    /** The answer, with its candidates. A first offer of a client opens a new connection. */
    async answer(sdp: string, isFirst: boolean): Promise<string> {
      if (isFirst) connection?.close();
      if (isFirst || connection === undefined) connection = connect();
      const answering = connection;
      await answering.setRemoteDescription({ type: "offer", sdp });
      await answering.setLocalDescription(await answering.createAnswer());
      await new Promise<void>((done) => {
        const check = () => {
          if (answering.iceGatheringState === "complete") done();
        };
        answering.addEventListener("icegatheringstatechange", check);
        check();
      });
      return answering.localDescription?.sdp ?? "";
    },
    /** How many frames came, and how many of them do not end as encrypted ones do. */
    frames: () => ({
      all: frames.length,
      plain: frames.filter((frame) => frame.at(-2) !== TRAILER[0] || frame.at(-1) !== TRAILER[1]).length,
    }),
  };
}

/** The media server's end of a call, in the page: it answers the client's offers and stores the received frames. */

interface EncodedFrame {
  readonly data: ArrayBuffer;
}
/** Chromium's additions to the standard. */
interface FrameReceiver {
  createEncodedStreams(): { readonly readable: ReadableStream<EncodedFrame> };
}

/** The trailer of an encrypted frame: the length of its nonce, and the index of the shared key. */
const TRAILER = [12, 0];

export function createMediaServer() {
  let connection: RTCPeerConnection | undefined;
  const frames: Uint8Array[] = [];

  async function keepFrames(readable: ReadableStream<EncodedFrame>): Promise<void> {
    const reader = readable.getReader();
    for (let next = await reader.read(); !next.done; next = await reader.read())
      // On a busy machine, sound is late and frames are empty, so there is nothing to encrypt.
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
    /** The answer, with its candidates. A client's first offer opens a new connection. */
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
    /** The number of received frames, and how many of them lack the trailer of encrypted ones. */
    frames: () => ({
      all: frames.length,
      plain: frames.filter((frame) => frame.at(-2) !== TRAILER[0] || frame.at(-1) !== TRAILER[1]).length,
    }),
  };
}

/** Websocket close codes of the server; polling clients get a close packet instead. */

export const NORMAL = 1000;
/** A second connection for a session that has its websocket already. */
export const NOT_WANTED = 1008;
export const TOO_LARGE = 1009;
/** What was sent is no packet, or none that is allowed now. */
export const BAD_PACKET = 4400;
/** No pong, or no CONNECT, in time. */
export const TIMED_OUT = 4408;
/** Does not read what it is sent. */
export const TOO_SLOW = 4413;
/** Sends more packets than `packetRate` allows. */
export const TOO_MANY_PACKETS = 4429;

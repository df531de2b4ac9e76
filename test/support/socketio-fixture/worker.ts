/** The fixture of the official protocol suites: `/engine.io/` and `/socket.io/`, each one real Durable Object. */
import { createEchoEngine, createEchoSockets } from "./echo.ts";
import { patientSettings } from "./settings.ts";
import { defineSocketObject } from "./socket-object.ts";

interface FixtureEnv {
  readonly ENGINE: DurableObjectNamespace;
  readonly SOCKETS: DurableObjectNamespace;
  readonly PATIENT: DurableObjectNamespace;
}

export class EchoEngine extends defineSocketObject((ports) => createEchoEngine(ports)) {}
export class EchoSockets extends defineSocketObject((ports) => createEchoSockets(ports)) {}
/** For tests of our own: time enough for a slow machine, and connection state recovery. */
export class PatientSockets extends defineSocketObject((ports) => createEchoSockets(ports, patientSettings)) {}

export default {
  async fetch(request: Request, env: FixtureEnv): Promise<Response> {
    const { pathname } = new URL(request.url);
    if (pathname === "/engine.io/") return bridged(await env.ENGINE.getByName("suite").fetch(request));
    if (pathname === "/socket.io/") return bridged(await env.SOCKETS.getByName("suite").fetch(request));
    if (pathname === "/patient/") return env.PATIENT.getByName("tests").fetch(request);
    return new Response("the fixture serves /engine.io/ and /socket.io/\n", {
      status: pathname === "/health" ? 200 : 404,
    });
  },
};

/**
 * Local workerd leaves a connection open when the object closes its hibernating websocket and the client has never sent
 * anything on it. The suites have such clients and wait for the end, so the Worker stands between and closes.
 */
function bridged(response: Response): Response {
  const inner = response.webSocket;
  if (inner === null) return response;
  const { 0: client, 1: outer } = new WebSocketPair();
  join(inner, outer);
  join(outer, inner);
  inner.accept();
  outer.accept();
  return new Response(null, { status: 101, webSocket: client });
}

function join(from: WebSocket, to: WebSocket): void {
  from.binaryType = "arraybuffer";
  from.addEventListener("message", ({ data }) => to.send(data as string | ArrayBuffer));
  from.addEventListener("close", () => to.close(1000));
  from.addEventListener("error", () => to.close(1011));
}

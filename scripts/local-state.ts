/**
 * Which development server uses which local state. `npm start` holds a local port while it is alive and notes it in the state
 * folder, so that a second start and `npm run reset` can detect it. The system closes the port with the process, however it ends:
 * the note of a killed process is ignored.
 */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { connect, createServer, type AddressInfo } from "node:net";
import { join } from "node:path";

export interface RunningServer {
  readonly pid: number;
  /** Where the Worker answers. */
  readonly port: number;
}

interface Note extends RunningServer {
  /** Open as long as the process is alive. */
  readonly guard: number;
}

/** In the state folder: the data of the PostgreSQL server that `npm start -- --postgres` starts. */
export const POSTGRES_FOLDER = "postgres";
const NOTE = "server.json";
/** A local port answers at once or not at all; milliseconds. */
const CONNECT_TIMEOUT = 1000;

/** Marks the state as in use until this process ends or the returned function is called. */
export async function claimState(stateFolder: string, port: number): Promise<() => void> {
  const guard = createServer((socket) => socket.destroy());
  await new Promise<void>((listening) => guard.listen(0, "127.0.0.1", listening));
  guard.unref();
  const note: Note = { pid: process.pid, port, guard: (guard.address() as AddressInfo).port };
  mkdirSync(stateFolder, { recursive: true });
  writeFileSync(join(stateFolder, NOTE), JSON.stringify(note));
  return () => {
    rmSync(join(stateFolder, NOTE), { force: true });
    guard.close();
  };
}

/** The server that uses this state. */
export async function runningServer(stateFolder: string): Promise<RunningServer | undefined> {
  const note = readNote(join(stateFolder, NOTE));
  return note !== undefined && (await answers(note.guard, "127.0.0.1")) ? note : undefined;
}

function readNote(path: string): Note | undefined {
  try {
    const { pid, port, guard } = JSON.parse(readFileSync(path, "utf8")) as Partial<Note>;
    return pid === undefined || port === undefined || guard === undefined ? undefined : { pid, port, guard };
  } catch {
    return undefined;
  }
}

/** Whether anything accepts a connection on the local port. */
export function answers(port: number, host = "localhost"): Promise<boolean> {
  return new Promise((tell) => {
    const socket = connect({ port, host, timeout: CONNECT_TIMEOUT });
    const end = (answer: boolean) => () => {
      socket.destroy();
      tell(answer);
    };
    socket.on("connect", end(true)).on("error", end(false)).on("timeout", end(false));
  });
}

/**
 * Upgrade from polling to websocket: a second connection probes (`2probe`, answered `3probe`), a poll that still waits is
 * let go with a noop a moment later, and `5` hands the session over. Until then the session goes on polling, whatever
 * becomes of the probe.
 */
import type { Connection } from "../ports.ts";
import { NORMAL } from "./close-codes.ts";
import { closeConnection, sendFrame, type Attachment } from "./connections.ts";
import { frameOf, PROBE_ANSWER, type EnginePacket } from "./packets.ts";

/**
 * From the probe's answer until polls are let go; milliseconds, as in the reference server. A client that sends its `5`
 * without waiting for that needs no noop any more.
 */
const LET_GO_MS = 100;

interface Probe {
  readonly connection: Connection;
  /** When it must be finished, Unix milliseconds. */
  readonly until: number;
  /** From when polls are let go; undefined: not probed yet. */
  letGoAt: number | undefined;
}

interface Settings {
  readonly upgradeTimeoutMs: number;
  readonly now: () => number;
  readonly dueBy: (at: number) => void;
  /** A poll that waits must end now. */
  readonly letGo: (sid: string) => void;
  /** The connection takes the session over. */
  readonly onUpgrade: (sid: string, connection: Connection) => void;
}

export type Upgrades = ReturnType<typeof createUpgrades>;

export function createUpgrades(settings: Settings) {
  const probes = new Map<string, Probe>();

  function keep(sid: string, { connection, letGoAt, until }: Probe): void {
    const attachment: Attachment = { sid, pingDueAt: 0, pongBy: undefined, probe: { letGoAt, until } };
    connection.serializeAttachment(attachment);
  }

  function end(sid: string, code = NORMAL, lastPackets: readonly string[] = []): void {
    const probe = probes.get(sid);
    if (probe === undefined) return;
    probes.delete(sid);
    if (probe.letGoAt !== undefined) for (const packet of lastPackets) sendFrame(probe.connection, frameOf(packet));
    closeConnection(probe.connection, code, "upgrade given up");
  }

  return {
    isUnderWay: (sid: string) => probes.has(sid),

    begin(sid: string, connection: Connection): void {
      const probe = { connection, until: settings.now() + settings.upgradeTimeoutMs, letGoAt: undefined };
      probes.set(sid, probe);
      keep(sid, probe);
      settings.dueBy(probe.until);
    },

    restore(connection: Connection, sid: string, { letGoAt, until }: NonNullable<Attachment["probe"]>): void {
      probes.set(sid, { connection, letGoAt, until });
    },

    /** Whether polls of this session are let go at once. */
    letsGo: (sid: string) => (probes.get(sid)?.letGoAt ?? Infinity) <= settings.now(),

    receive(sid: string, packet: EnginePacket | undefined): void {
      const probe = probes.get(sid);
      if (probe === undefined) return;
      if (packet?.type === "ping" && packet.data === "probe") {
        probe.letGoAt ??= settings.now() + LET_GO_MS;
        keep(sid, probe);
        probe.connection.send(PROBE_ANSWER);
        settings.dueBy(probe.letGoAt);
      } else if (packet?.type === "upgrade" && probe.letGoAt !== undefined) {
        probes.delete(sid);
        settings.onUpgrade(sid, probe.connection);
      } else end(sid);
    },

    /** The session is over, or the probing connection is. `lastPackets` reach a client that has changed over already. */
    end,

    onAlarm(now: number): void {
      for (const [sid, { until, letGoAt }] of probes) {
        if (until <= now) end(sid);
        else if (letGoAt !== undefined && letGoAt <= now) settings.letGo(sid);
      }
    },

    nextDue(now: number): number | undefined {
      let least: number | undefined;
      for (const { until, letGoAt } of probes.values()) {
        const due = letGoAt !== undefined && letGoAt > now ? Math.min(letGoAt, until) : until;
        if (least === undefined || due < least) least = due;
      }
      return least;
    },
  };
}

/**
 * Upgrade from polling to websocket: a second connection probes (`2probe`, answered `3probe`), a poll that still waits gets a
 * noop a moment later, and `5` moves the session to the websocket. Until then the session uses polling, whatever happens
 * to the probe.
 */
import type { Connection } from "../ports.ts";
import { earliest } from "./alarm.ts";
import { CloseCode, frameOf, PROBE_ANSWER, type EnginePacket } from "./packets.ts";
import { closeConnection, sendFrame, type Attachment } from "./websockets.ts";

/**
 * From the probe's answer until polls get a noop; milliseconds, as in the reference server. A client that sends its `5`
 * sooner needs none.
 */
const RELEASE_POLLS_MS = 100;

interface Probe {
  readonly connection: Connection;
  /** When the upgrade times out, Unix milliseconds. */
  readonly until: number;
  /** When polls get a noop; undefined: no probe has come yet. */
  releaseAt: number | undefined;
}

interface UpgradeDependencies {
  readonly upgradeTimeoutMs: number;
  readonly now: () => number;
  readonly scheduleBy: (at: number) => void;
  /** Answers the waiting poll with a noop. */
  readonly releasePoll: (sid: string) => void;
  readonly onUpgrade: (sid: string, connection: Connection) => void;
}

export type Upgrades = ReturnType<typeof createUpgrades>;

export function createUpgrades(dependencies: UpgradeDependencies) {
  const { now, scheduleBy } = dependencies;
  const probes = new Map<string, Probe>();

  function store(sid: string, { connection, releaseAt, until }: Probe): void {
    const attachment: Attachment = { sid, pingDueAt: 0, pongBy: undefined, probe: { releaseAt, until } };
    connection.serializeAttachment(attachment);
  }

  function end(sid: string, lastPackets: readonly string[] = []): void {
    const probe = probes.get(sid);
    if (probe === undefined) return;
    probes.delete(sid);
    if (probe.releaseAt !== undefined) for (const packet of lastPackets) sendFrame(probe.connection, frameOf(packet));
    closeConnection(probe.connection, CloseCode.NORMAL, "upgrade given up");
  }

  return {
    has: (sid: string) => probes.has(sid),

    begin(sid: string, connection: Connection): void {
      const probe = { connection, until: now() + dependencies.upgradeTimeoutMs, releaseAt: undefined };
      probes.set(sid, probe);
      store(sid, probe);
      scheduleBy(probe.until);
    },

    restore(connection: Connection, sid: string, { releaseAt, until }: NonNullable<Attachment["probe"]>): void {
      probes.set(sid, { connection, releaseAt, until });
    },

    /** Whether polls of this session get a noop at once. */
    releasesPolls: (sid: string) => (probes.get(sid)?.releaseAt ?? Infinity) <= now(),

    receive(sid: string, packet: EnginePacket | undefined): void {
      const probe = probes.get(sid);
      if (probe === undefined) return;
      if (packet?.type === "ping" && packet.data === "probe") {
        probe.releaseAt ??= now() + RELEASE_POLLS_MS;
        store(sid, probe);
        probe.connection.send(PROBE_ANSWER);
        scheduleBy(probe.releaseAt);
      } else if (packet?.type === "upgrade" && probe.releaseAt !== undefined) {
        probes.delete(sid);
        dependencies.onUpgrade(sid, probe.connection);
      } else end(sid);
    },

    /** The session or the probing connection has ended. `lastPackets` reach a client that has already switched. */
    end,

    onAlarm(): void {
      for (const [sid, { until, releaseAt }] of probes) {
        if (until <= now()) end(sid);
        else if (releaseAt !== undefined && releaseAt <= now()) dependencies.releasePoll(sid);
      }
    },

    nextDeadline(): number | undefined {
      const pending = (releaseAt: number | undefined) =>
        releaseAt !== undefined && releaseAt > now() ? releaseAt : undefined;
      return earliest(...[...probes.values()].flatMap(({ until, releaseAt }) => [until, pending(releaseAt)]));
    },
  };
}

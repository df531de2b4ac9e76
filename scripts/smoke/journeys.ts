/** The journeys of `npm run smoke`, one for each surface, and one for what all surfaces share. */
import { randomUUID } from "node:crypto";
import { sessionRecord } from "../../protocol/records.ts";
import * as z from "zod";
import { seedIssuer } from "../../sdk/src/core/key-issuer.ts";
import { ChatFailure } from "../chat/command-line.ts";
import { createOracleClient } from "../chat/oracle-client.ts";
import { JourneyFault, jsonOf, request, type Journey, type SmokeSettings } from "./journey.ts";

/** A number of Zambia that no subscriber has. */
const PHONE = "+260970000000";
const reply = z.object({ message: z.object({ content: z.string().min(1) }) });

const health: Journey = {
  name: "health",
  async run(settings) {
    const record = jsonOf("/health", await request(settings, "/health", { expected: [200, 503] }));
    const { status, database, misconfigured } = record;
    if (status === "ok") return `ok, database ${String(database)}`;
    const wrong = Object.values((misconfigured ?? {}) as Record<string, readonly string[]>).flat();
    const variables = wrong.length === 0 ? "" : `; wrong variables: ${wrong.join(", ")}`;
    throw new JourneyFault(`/health reports an error, database ${String(database)}${variables}`, 503);
  },
};

const oracle: Journey = {
  name: "oracle",
  async run(settings) {
    const { url, signal, now } = settings;
    await request(settings, "/sessions", { expected: [401] });
    const identity = await seedIssuer(settings.randomSeed());
    const client = createOracleClient({ url, identity, fetch: settings.fetch, now, interrupted: signal });
    try {
      const { sessionId } = await client.call("POST", "/sessions", sessionRecord);
      try {
        const { message } = await client.call("POST", `/messages/${sessionId}`, reply, { message: "hello" });
        return `a session answered with ${message.content.length} characters, and was deleted`;
      } finally {
        await client.http.json(`/sessions/${sessionId}`, { method: "DELETE" });
        await client.http.json("/delegation", { method: "DELETE" });
      }
    } catch (error) {
      if (error instanceof ChatFailure) throw new JourneyFault(error.message, error.status);
      throw error;
    }
  },
};

const registry: Journey = {
  name: "registry",
  async run(settings) {
    await request(settings, "/v1/domains", { expected: [401] });
    if (settings.registryKey === undefined)
      return "refuses callers without a key; set REGISTRY_API_KEY to read as well";
    const headers = { Authorization: `Bearer ${settings.registryKey}` };
    const list = jsonOf("/v1/domains", await request(settings, "/v1/domains?limit=1", { headers, expected: [200] }));
    const [first] = (list["data"] ?? []) as readonly { readonly id: string }[];
    if (first === undefined) return "the list of domains is empty";
    const path = `/v1/domains/${encodeURIComponent(first.id)}`;
    const domain = jsonOf(path, await request(settings, path, { headers, expected: [200] }));
    if (domain["id"] !== first.id) throw new JourneyFault(`${path} answered another domain`);
    return "listed the domains and read one";
  },
};

const phone: Journey = {
  name: "phone",
  async run(settings) {
    const path = `/api/ussd${settings.pathSecret === undefined ? "" : `/g/${settings.pathSecret}`}`;
    const sessionId = `smoke-${randomUUID()}`;
    const send = async (text: string): Promise<string | undefined> => {
      const body = new URLSearchParams({ sessionId, serviceCode: "*2233#", phoneNumber: PHONE, text });
      const { status, text: screen } = await hidingSecret(settings, path, { method: "POST", body });
      return status === 404 ? undefined : screen;
    };
    const menu = await send("");
    if (menu === undefined) {
      await request(settings, "/openapi/ussd.json", { expected: [200] });
      return "refuses strangers; set USSD_PATH_SECRET to make a call";
    }
    const [, exit] = /^(\S+)\. Exit$/m.exec(menu) ?? [];
    if (!menu.startsWith("CON ") || exit === undefined)
      throw new JourneyFault(`the call got no menu: ${menu.slice(0, 60)}`);
    const end = (await send(exit)) ?? "";
    if (!end.startsWith("END ")) throw new JourneyFault(`the call did not end: ${end.slice(0, 60)}`);
    return "a call reached the menu and ended";
  },
};

/** The path may contain the secret, which no message shows. */
async function hidingSecret(settings: SmokeSettings, path: string, init: RequestInit) {
  try {
    return await request(settings, path, { ...init, expected: [200, 404] });
  } catch (error) {
    if (!(error instanceof JourneyFault) || settings.pathSecret === undefined) throw error;
    throw new JourneyFault(error.message.replace(path, "/api/ussd/g/…"), error.status);
  }
}

const gateway: Journey = {
  name: "query-gateway",
  async run(settings) {
    const path = "/openapi/query-gateway.json";
    const { status, text } = await request(settings, "/ixo/entity?pagination.limit=1", { expected: [200, 401, 404] });
    if (status === 401) return "refuses callers without an access key";
    if (status === 200) return `read ${text.length} bytes from a node`;
    await request(settings, path, { expected: [200] });
    return "serves its own routes; /ixo/entity is not one of them";
  },
};

export const journeys: readonly Journey[] = [health, oracle, registry, phone, gateway];

/**
 * The download size of the SDK for an application's visitors, compared with the established client and the AI SDK: bytes after
 * gzip.
 */
import { projectRoot } from "../../scripts/run-command.ts";
import { buildSdk } from "../../scripts/sdk/build.ts";
import { programSize, type ProgramSize } from "../../scripts/sdk/bundle-size.ts";
import { rowOf, type Row } from "../rows.ts";
import { FIELD_CLIENT, fieldClient } from "../sdk/field-client.ts";
import type { Measure } from "./measure.ts";

/** Packages that the application has anyway, and those that the established client needs for the chain. */
const given = ["react", "react-dom", "zod", "@tanstack/react-query", "@ixo/oracles-chain-client"];
const all = (name: string): string => `export * from "${name}";`;

export const sdkSize: Measure = {
  name: "sdk-size",
  about: "bytes that are loaded at once, after gzip, without react, zod and react-query",
  async take({ say }) {
    await buildSdk();
    const ours = (source: string): Promise<ProgramSize> => programSize(source, projectRoot, given);
    const chat = 'export { OraclesProvider, useChat } from "@twinedge/sdk";';
    const [root, core, withoutCalls, withCalls, transport, aiSdkChat] = await Promise.all([
      ours(all("@twinedge/sdk")),
      ours(all("@twinedge/sdk/core")),
      ours(chat),
      ours(chat + all("@twinedge/sdk/live-agent")),
      ours(all("@twinedge/sdk/ai-sdk")),
      ours('export { useChat } from "@ai-sdk/react";'),
    ]);
    const field = await fieldClient(say);
    const theirs =
      field === undefined
        ? undefined
        : {
            root: await programSize(all(FIELD_CLIENT), field, given),
            live: await programSize(all(`${FIELD_CLIENT}/live-agent`), field, given),
          };
    const established = (bytes: number | undefined): Beside => ["established client", bytes];
    const aiSdk: Beside = ["useChat of @ai-sdk/react", aiSdkChat.atOnce];
    return [
      row("root", root.atOnce, 30, established(theirs?.root.atOnce)),
      row("root", root.atOnce, 30, aiSdk),
      row("core", core.atOnce, 22, aiSdk),
      row("live-agent", withCalls.atOnce - withoutCalls.atOnce, 6, established(theirs?.live.atOnce)),
      row("transport of the AI SDK", transport.atOnce, undefined, aiSdk),
    ];
  },
};

type Beside = readonly [name: string, bytes: number | undefined];

function row(what: string, bytes: number, below: number | undefined, [name, beside]: Beside): Row {
  return rowOf({
    what,
    unit: "KB",
    scale: "time",
    samples: [bytes / 1000],
    ...(beside === undefined ? {} : { baseline: { name, samples: [beside / 1000] } }),
    ...(below === undefined ? {} : { aim: { below } }),
  });
}

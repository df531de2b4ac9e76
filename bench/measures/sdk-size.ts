/** What an application's visitors load of the SDK, beside the established client and the AI SDK: bytes after gzip. */
import { projectRoot } from "../../scripts/run-command.ts";
import { buildSdk } from "../../scripts/sdk/build.ts";
import { programSizes } from "../../scripts/sdk/bundle-size.ts";
import { rowOf, type Row } from "../rows.ts";
import { FIELD_CLIENT, fieldClient } from "../sdk/field-client.ts";
import type { Measure } from "./measure.ts";

/** What the application has anyway, and what the established client needs of the chain. */
const given = ["react", "react-dom", "zod", "@tanstack/react-query", "@ixo/oracles-chain-client"];
const all = (name: string): string => `export * from "${name}";`;

export const sdkSize: Measure = {
  name: "sdk-size",
  about: "bytes that are loaded at once, after gzip, without react, zod and react-query",
  async take({ say }) {
    await buildSdk();
    const ours = await programSizes(
      {
        root: all("@twinedge/sdk"),
        core: all("@twinedge/sdk/core"),
        live: all("@twinedge/sdk/live-agent"),
        transport: all("@twinedge/sdk/ai-sdk"),
        aiSdk: 'export { useChat } from "@ai-sdk/react";',
      },
      projectRoot,
      given,
    );
    const field = await fieldClient(say);
    const theirs =
      field === undefined
        ? undefined
        : await programSizes({ root: all(FIELD_CLIENT), live: all(`${FIELD_CLIENT}/live-agent`) }, field, given);
    const established = (bytes: number | undefined): Beside => ["established client", bytes];
    const aiSdk: Beside = ["useChat of @ai-sdk/react", ours.aiSdk.atOnce];
    return [
      row("root", ours.root.atOnce, 30, established(theirs?.root.atOnce)),
      row("root", ours.root.atOnce, 30, aiSdk),
      row("core", ours.core.atOnce, 22, aiSdk),
      row("live-agent", ours.live.atOnce, 6, established(theirs?.live.atOnce)),
      row("transport of the AI SDK", ours.transport.atOnce, undefined, aiSdk),
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

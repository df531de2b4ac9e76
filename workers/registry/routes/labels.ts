/** Labels of the DIDs that act in the registry, so that a list of proposals or votes can show names. */
import * as z from "zod";
import { reply } from "../../../platform/http/route.ts";
import { did } from "../domain/domain-schema.ts";
import { isDid } from "../did.ts";
import { keyed } from "../http/authentication.ts";
import { route } from "../http/route.ts";
import { meteredPage } from "../http/row-meter.ts";
import { LABELLING_KEYS, readLabels } from "../store/label-store.ts";

/** DIDs per request: those of a page of a list, within the maximum length of an address. */
const MOST_DIDS = 50;
/** Rows read to label one DID: its voter and some of its keys. */
const ROWS_OF_DID = 1 + LABELLING_KEYS;

const list = route(
  {
    method: "get",
    path: "/v1/labels",
    id: "listLabels",
    summary: "Get the labels of DIDs",
    description: `The label on the voter roll, or else the label of the DID's newest API key. Among the newest ${LABELLING_KEYS} keys, keys that are not revoked take precedence. DIDs without a label are omitted.`,
    tag: "Governance",
    auth: keyed("domains:read"),
    query: z.object({
      did: z
        .preprocess(
          (value) => (value === undefined || Array.isArray(value) ? value : [value]),
          z
            .array(z.string().refine(isDid, { error: "must be a DID" }))
            .min(1)
            .max(MOST_DIDS),
        )
        .meta({ description: `A DID. Repeat it for several, at most ${MOST_DIDS} times.` }),
    }),
    responses: {
      200: {
        description: "The labels that are known",
        content: { schema: z.object({ data: z.array(z.object({ did, label: z.string() })) }) },
      },
    },
  },
  async ({ query }, c) => {
    const { database, config } = c.var.runtime;
    const name = () => readLabels(database, config.REGISTRY_KEY_ENVIRONMENT, query.did);
    const data = await meteredPage(c, query.did.length * ROWS_OF_DID, name);
    return data.ok ? reply({ data: data.value }) : data;
  },
);

export const labelRoutes = [list];

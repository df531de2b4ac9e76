/** The models that a message may name (contract/oracle.md section 1). Public. */
import { Hono } from "hono";
import type { Operation } from "../../platform/openapi.ts";
import type { OracleHono } from "../context.ts";
import { publicSecurity } from "../description.ts";
import { modelList } from "../../../protocol/records.ts";

export const modelRoutes = new Hono<OracleHono>();

export const listModels: Operation = {
  method: "get",
  path: "/models",
  id: "listModels",
  summary: "List the models, and the default one",
  tag: "Oracle",
  security: publicSecurity,
  responses: {
    200: {
      description: "The models",
      content: { schema: modelList },
    },
  },
};

modelRoutes.get(listModels.path, (c) => {
  const { rows, defaultModelId } = c.var.runtime.config.models;
  return c.json({ models: rows, default: defaultModelId });
});

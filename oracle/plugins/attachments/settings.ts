/** The operator's settings: hosts that may be read without https, and the oracle's own Matrix account. */
import * as z from "zod";
import type { Account } from "./matrix-client.ts";

export interface AttachmentSettings {
  /** `host` or `host:port`. */
  readonly allowedHosts: readonly string[];
  /** Undefined without `MATRIX_ACCESS_TOKEN`. */
  readonly bot: Account | undefined;
}

export const attachmentSettings: z.ZodType<AttachmentSettings> = z
  .object({
    ATTACHMENT_ALLOWED_HOSTS: z.string().default(""),
    MATRIX_BASE_URL: z.url({ protocol: /^https?$/ }).optional(),
    MATRIX_ACCESS_TOKEN: z.string().min(1).optional(),
  })
  .transform((env, context): AttachmentSettings => {
    const allowedHosts = env.ATTACHMENT_ALLOWED_HOSTS.split(",").map((host) => host.trim().toLowerCase());
    const { MATRIX_BASE_URL: base, MATRIX_ACCESS_TOKEN: token } = env;
    if (token !== undefined && base === undefined)
      context.addIssue({ code: "custom", path: ["MATRIX_BASE_URL"], message: "is needed with MATRIX_ACCESS_TOKEN" });
    return {
      allowedHosts: allowedHosts.filter((host) => host !== ""),
      bot: base === undefined || token === undefined ? undefined : { homeserver: new URL(base), token },
    };
  });

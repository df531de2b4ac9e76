/** Attaches files to the next message: checks, uploads and removes them. */
import { useQuery } from "@tanstack/react-query";
import { useOraclesContext } from "@twinedge/sdk";
import { useCallback, useSyncExternalStore } from "react";
import { chatTexts } from "../texts/chat.ts";
import { type AttachedFile, openAttachedFiles } from "./attached-files.ts";
import { useChatParts } from "./chat-context.ts";
import { asApiFailure } from "./failure-facts.ts";
import { isAccepted, typeOf } from "./file-types.ts";
import { useOracleRequest, usePlugins } from "./use-oracle.ts";

interface UploadRules {
  readonly uploads: boolean;
  readonly accept: readonly string[];
  readonly maxBytes: number;
  readonly maxWaiting: number;
}

export interface Attachments {
  readonly files: readonly AttachedFile[];
  /** The value of a file input's attribute `accept`. */
  readonly accept: string;
  readonly add: (files: Iterable<File>) => void;
  readonly remove: (file: AttachedFile) => void;
}

/** Outside the components, so that files survive a visit to another screen. */
export const attachedFiles = openAttachedFiles();
const uploads = new Map<string, AbortController>();
const LONGEST_NAME = 255;

/** Undefined if this host stores no files. `place`: where the draft is stored. */
export function useAttachments(place: string): Attachments | undefined {
  const { oracleDid } = useChatParts();
  const { authedRequest } = useOraclesContext();
  const { data: plugins = [] } = usePlugins();
  const request = useOracleRequest();
  const { data: rules } = useQuery({
    queryKey: ["upload rules"],
    queryFn: () => request<UploadRules>("/attachments"),
    enabled: plugins.includes("attachments"),
    staleTime: Infinity,
  });
  const files = useSyncExternalStore(attachedFiles.subscribe, () => attachedFiles.read(place));

  const send = useCallback(
    async (file: File, { key, type }: AttachedFile): Promise<void> => {
      const upload = new AbortController();
      uploads.set(key, upload);
      try {
        const options = { body: file, headers: { "Content-Type": type }, signal: upload.signal };
        const url = `${location.origin}/attachments`;
        const { mxcUri } = await authedRequest<{ readonly mxcUri: string }>(url, "POST", options, oracleDid);
        attachedFiles.change(place, key, { kind: "ready", mxcUri });
      } catch (error) {
        const failed = asApiFailure(error);
        const reason = failed instanceof Error ? failed.message : chatTexts.attach.notSent;
        attachedFiles.change(place, key, { kind: "failed", reason });
      } finally {
        uploads.delete(key);
      }
    },
    [authedRequest, oracleDid, place],
  );

  const add = useCallback(
    (chosen: Iterable<File>): void => {
      if (rules === undefined) return;
      for (const file of chosen) {
        const type = typeOf(file);
        const fault = faultOf(file, type, rules, attachedFiles.read(place).length);
        const attached: AttachedFile = {
          key: crypto.randomUUID(),
          name: file.name.slice(-LONGEST_NAME) || chatTexts.attach.unnamed,
          type,
          size: file.size,
          preview: fault === undefined && type.startsWith("image/") ? URL.createObjectURL(file) : undefined,
          state: fault === undefined ? { kind: "sending" } : { kind: "failed", reason: fault },
        };
        attachedFiles.add(place, [attached]);
        if (fault === undefined) void send(file, attached);
      }
    },
    [rules, place, send],
  );

  const remove = useCallback(
    (file: AttachedFile): void => {
      uploads.get(file.key)?.abort();
      attachedFiles.remove(place, file.key);
      forgetPreviews([file]);
      if (file.state.kind !== "ready") return;
      // If it cannot be deleted now, the oracle deletes it after a day.
      const url = `${location.origin}/attachments/${encodeURIComponent(file.state.mxcUri)}`;
      authedRequest(url, "DELETE", {}, oracleDid).catch(() => undefined);
    },
    [authedRequest, oracleDid, place],
  );

  if (rules?.uploads !== true) return undefined;
  return { files, accept: rules.accept.join(","), add, remove };
}

export function forgetPreviews(files: readonly AttachedFile[]): void {
  for (const { preview } of files) if (preview !== undefined) URL.revokeObjectURL(preview);
}

const MEGABYTE = 1_000_000;

function faultOf({ size }: File, type: string, rules: UploadRules, count: number): string | undefined {
  const words = chatTexts.attach;
  if (count >= rules.maxWaiting) return words.tooMany(rules.maxWaiting);
  if (!isAccepted(type, rules.accept)) return words.wrongType;
  if (size > rules.maxBytes) return words.tooLarge(rules.maxBytes / MEGABYTE);
  return size === 0 ? words.empty : undefined;
}

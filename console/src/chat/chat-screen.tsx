/** The screen below /console/chat: signs in with this browser's own key, then shows the conversations with this host's oracle. */
import { queryOptions, useQuery, useQueryClient } from "@tanstack/react-query";
import { OraclesProvider } from "@twinedge/sdk";
import { readOracleDid } from "@twinedge/sdk/core";
import { useCallback, useEffect } from "react";
import { queryClient } from "../api/api.ts";
import { Loaded } from "../kit/loaded.tsx";
import { ScreenHeader } from "../kit/screen-header.tsx";
import { chatTexts } from "../texts/chat.ts";
import { ChatContext, recorder } from "./chat-context.ts";
import { asApiFailure } from "./failure-facts.ts";
import { IDENTITY_CHANNEL, openIdentity, tellIdentityChanged } from "./identity.ts";
import { Workspace } from "./workspace.tsx";

const IDENTITY = ["chat identity"];

const opening = queryOptions({
  queryKey: IDENTITY,
  queryFn: async () => {
    try {
      const [identity, oracleDid] = await Promise.all([openIdentity(), readOracleDid(location.origin)]);
      return { identity, oracleDid };
    } catch (error) {
      throw asApiFailure(error);
    }
  },
  staleTime: Infinity,
  structuralSharing: false,
});
// Starts while the module loads, so that the key and the oracle's name are loaded while the frame is drawn.
void queryClient.query(opening).catch(() => undefined);

// Users can leave the chat from another screen.
export { leaveChat } from "./leave-chat.ts";

export default function ChatScreen() {
  const queries = useQueryClient();
  const query = useQuery(opening);
  const change = useCallback(async () => {
    recorder.clear();
    queries.removeQueries({ predicate: ({ queryKey }) => queryKey[0] === "twinedge" || queryKey[0] === "chat" });
    await queries.invalidateQueries({ queryKey: IDENTITY });
  }, [queries]);
  useEffect(() => {
    const channel = new BroadcastChannel(IDENTITY_CHANNEL);
    channel.addEventListener("message", () => void change());
    return () => channel.close();
  }, [change]);
  const forgotten = useCallback(async () => {
    await change();
    tellIdentityChanged();
  }, [change]);
  if (query.data === undefined)
    return (
      <>
        <ScreenHeader title={chatTexts.title} lead="Loading your identity" />
        <Loaded query={query} showsAge={false}>
          {() => null}
        </Loaded>
      </>
    );
  const { identity, oracleDid } = query.data;
  return (
    <OraclesProvider {...identity.signer} storage={null} inspect={recorder.inspect}>
      <ChatContext value={{ identity, oracleDid, onForgotten: forgotten }}>
        <Workspace />
      </ChatContext>
    </OraclesProvider>
  );
}

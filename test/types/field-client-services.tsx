/** As field-client-1-4-0.tsx: contracts, Matrix and calls. Compiled, never run. */
import type { ReactElement } from "react";
import { getOpenIdToken, useContractOracle, useGetOpenIdToken, useLiveAgent, useMemoryEngine } from "@twinedge/sdk";

export function Contract(): ReactElement {
  const params = { oracleDid: "did:x:y", userClaimCollectionId: "1", adminAddress: "ixo1", claimId: "2" };
  const contract = useContractOracle({
    params: { ...params, agentQuota: 3, maxAmount: { amount: 5, denom: "uixo" } },
  });
  const memory = useMemoryEngine("did:x:y");
  const token = useGetOpenIdToken();
  const start = async (): Promise<void> => {
    await contract.contractOracle({ useAuthz: true });
    await contract.contractOracle({});
    await contract.payClaim();
    await contract.inviteOracle();
    await memory.inviteUser("@user:example.com");
    await memory.enableMemoryEngine("@engine:example.com");
    const fresh = await token.refetch();
    const given = await getOpenIdToken({ userId: "@u:example.com", matrixAccessToken: "syt_x", did: "did:x:y" });
    const texts: (string | undefined)[] = [fresh?.access_token, given.matrix_server_name, given.token_type];
    void `${texts.join()}${given.expires_in.toFixed()}`;
  };
  const flags: (boolean | undefined)[] = [
    contract.isContractingOracle,
    contract.isPayingClaim,
    contract.isLoadingAgentCard,
    contract.isLoadingPricingList,
    contract.isLoadingAuthzConfig,
    contract.isOracleInRoom,
    contract.isLoadingOracleInRoom,
    contract.isInvitingOracle,
    memory.isInvitingUser,
    memory.isLoadingOracleRoomId,
    memory.isLoadingMembers,
    memory.isLoadingMemoryEngine,
    token.isLoading,
  ];
  const members: string[] | undefined = memory.members;
  const roomId: string | null | undefined = memory.oracleRoomId;
  return (
    <button onClick={() => void start()} aria-busy={flags.some(Boolean)}>
      {contract.pricingList?.map(({ title, description, amount, denom }) => `${title}${description}${amount}${denom}`)}
      {contract.authzConfig?.oracleName} {contract.agentCard?.oracleDid} {contract.agentCard?.cardProof}
      {contract.agentCard?.card.credentialSubject.services.map(({ name, price }) => `${name}${price.amount.toFixed()}`)}
      {members?.join()} {roomId} {token.openIdToken?.access_token} {token.error?.message}
    </button>
  );
}

declare const mxClient: Parameters<typeof useLiveAgent>[1];

export function Call(): ReactElement {
  const openIdToken = { access_token: "x", token_type: "Bearer", matrix_server_name: "example.com", expires_in: 3600 };
  const agent = useLiveAgent("did:x:y", mxClient, openIdToken, ({ title, description }) => void [title, description], {
    baseUrl: "https://oracle.example.com",
  });
  const call = async (): Promise<void> => {
    const { callId, encryptionKey } = await agent.callAgent({
      callType: "audio",
      sessionId: "s",
      userDid: "did:x:z",
      agentVoice: "alloy",
      language: "en",
    });
    await agent.endCall();
    void [callId.length, encryptionKey.length];
  };
  const flags: boolean[] = [
    agent.isCalling,
    agent.isConfigReady,
    agent.sessionStarted,
    agent.sessionViewVisible,
    agent.isConnecting,
    agent.isReady,
  ];
  return <button onClick={() => void call()} aria-busy={flags.some(Boolean)} hidden={!agent.room} />;
}

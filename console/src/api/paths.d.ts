/**
 * The types of the console's HTTP client: paths, components and operations of our own OpenAPI document. Written by
 * `npm run console-types`; do not edit it.
 */

export interface paths {
    "/": {
        get: operations["readRoot"];
    };
    "/.well-known/did.json": {
        get: operations["readDidDocument"];
    };
    "/.well-known/oauth-client.json": {
        get: operations["readMcpClientDocument"];
    };
    "/1.0/identifiers/{did}": {
        get: operations["resolveDid"];
    };
    "/api/ussd": {
        post: operations["stepSession"];
    };
    "/api/ussd/debug/{sessionId}": {
        get: operations["debugSession"];
    };
    "/api/ussd/ops/customers/{customerId}/did": {
        post: operations["linkDid"];
    };
    "/api/ussd/ops/customers/{customerId}/phone": {
        post: operations["linkPhone"];
    };
    "/api/ussd/ops/customers/{customerId}/reset-pin": {
        post: operations["resetPin"];
    };
    "/api/ussd/ops/customers/{customerId}/unlock": {
        post: operations["unlockCustomer"];
    };
    "/api/ussd/ops/metrics": {
        get: operations["readUssdMetrics"];
    };
    "/api/ussd/ops/pins/rotate": {
        post: operations["rotateKeys"];
    };
    "/api/ussd/ops/stats": {
        get: operations["readUssdStatistics"];
    };
    "/api/ussd/sessions": {
        get: operations["listActiveSessions"];
    };
    "/attachments": {
        get: operations["readUploadRules"];
        post: operations["uploadAttachment"];
    };
    "/attachments/{address}": {
        delete: operations["deleteAttachment"];
    };
    "/calls/{callId}/key": {
        get: operations["getCallKey"];
    };
    "/calls/{callId}/sync": {
        post: operations["syncCall"];
    };
    "/calls/{callId}/update": {
        patch: operations["updateCall"];
    };
    "/calls/session/{sessionId}": {
        get: operations["listSessionCalls"];
    };
    "/claims": {
        get: operations["listClaims"];
    };
    "/credits": {
        get: operations["readCredits"];
    };
    "/credits/grants": {
        post: operations["grantCredits"];
    };
    "/cron/claims": {
        get: operations["listDeadClaims"];
        post: operations["processClaims"];
    };
    "/delegation": {
        get: operations["delegationStatus"];
        post: operations["storeDelegation"];
        delete: operations["revokeDelegation"];
    };
    "/graphql": {
        get: operations["queryGraphqlByUrl"];
        post: operations["queryGraphql"];
    };
    "/health": {
        get: operations["readHealth"];
    };
    "/mcp/oauth": {
        get: operations["listMcpSignIns"];
    };
    "/mcp/oauth/{server}": {
        delete: operations["endMcpGrant"];
    };
    "/mcp/oauth/callback": {
        get: operations["endMcpSignIn"];
    };
    "/mcp/oauth/start": {
        get: operations["showMcpSignIn"];
        post: operations["beginMcpSignIn"];
    };
    "/mcp/pins": {
        get: operations["listMcpPins"];
        post: operations["acceptMcpPin"];
    };
    "/memory": {
        get: operations["listMemory"];
        delete: operations["deleteAllMemory"];
    };
    "/memory/{id}": {
        delete: operations["deleteMemory"];
    };
    "/messages/{sessionId}": {
        get: operations["listMessages"];
        post: operations["sendMessage"];
    };
    "/messages/abort": {
        post: operations["abortRun"];
    };
    "/models": {
        get: operations["listModels"];
    };
    "/runs/{runId}": {
        get: operations["resumeRun"];
    };
    "/runs/{runId}/approvals/{toolCallId}": {
        post: operations["decideApproval"];
    };
    "/sessions": {
        get: operations["listSessions"];
        post: operations["createSession"];
    };
    "/sessions/{sessionId}": {
        delete: operations["deleteSession"];
    };
    "/sessions/{sessionId}/messages": {
        get: operations["pageMessages"];
    };
    "/sessions/{sessionId}/run": {
        get: operations["activeRun"];
    };
    "/sfu/get": {
        post: operations["getSfuToken"];
    };
    "/user-preferences": {
        get: operations["readUserPreferences"];
    };
    "/v1/api-keys": {
        get: operations["listApiKeys"];
        post: operations["createApiKey"];
    };
    "/v1/api-keys/{keyId}": {
        get: operations["getApiKey"];
        delete: operations["revokeApiKey"];
    };
    "/v1/api-keys/{keyId}/rotate": {
        post: operations["rotateApiKey"];
    };
    "/v1/api-keys/current": {
        get: operations["getCurrentApiKey"];
    };
    "/v1/changes": {
        get: operations["listChanges"];
    };
    "/v1/domain-types": {
        get: operations["listDomainTypes"];
    };
    "/v1/domains": {
        get: operations["listDomains"];
        post: operations["createDomain"];
    };
    "/v1/domains/{id}": {
        get: operations["getDomain"];
        delete: operations["deactivateDomain"];
        patch: operations["updateDomain"];
    };
    "/v1/domains/{id}/card": {
        get: operations["getDomainCard"];
    };
    "/v1/domains/{id}/composite": {
        get: operations["getCompositeDomain"];
    };
    "/v1/domains/{id}/document": {
        get: operations["getDomainDocument"];
    };
    "/v1/domains/{id}/document/{list}/{itemId}": {
        put: operations["putDocumentItem"];
        delete: operations["deleteDocumentItem"];
    };
    "/v1/domains/{id}/domain.md": {
        get: operations["getDomainMarkdown"];
        put: operations["putDomainMarkdown"];
        post: operations["postDomainMarkdown"];
    };
    "/v1/domains/{id}/eligibility": {
        get: operations["getEligibility"];
    };
    "/v1/domains/{id}/history": {
        get: operations["listHistory"];
    };
    "/v1/domains/{id}/history/{version}": {
        get: operations["getHistoricVersion"];
    };
    "/v1/domains/{id}/proposals": {
        get: operations["listDomainProposals"];
        post: operations["createProposal"];
    };
    "/v1/domains/{id}/services/{name}": {
        get: operations["getService"];
        put: operations["switchService"];
    };
    "/v1/export": {
        get: operations["exportDomains"];
    };
    "/v1/imports": {
        get: operations["listImports"];
    };
    "/v1/imports/{importId}": {
        get: operations["getImport"];
    };
    "/v1/imports/{importId}/lines": {
        post: operations["importDomains"];
    };
    "/v1/labels": {
        get: operations["listLabels"];
    };
    "/v1/proposals": {
        get: operations["listProposals"];
    };
    "/v1/proposals/{pid}": {
        get: operations["getProposal"];
    };
    "/v1/proposals/{pid}/votes": {
        get: operations["listVotes"];
        post: operations["castVote"];
    };
    "/v1/proposals/{pid}/votes/me": {
        get: operations["getOwnVote"];
    };
    "/v1/proposals/{pid}/withdraw": {
        post: operations["withdrawProposal"];
    };
    "/v1/verification-rules": {
        get: operations["getVerificationRules"];
    };
    "/v1/voter-changes": {
        get: operations["listVoterChanges"];
    };
    "/v1/voters": {
        get: operations["listVoters"];
    };
    "/v1/voters/{did}": {
        get: operations["getVoter"];
        put: operations["putVoter"];
        delete: operations["deleteVoter"];
    };
    "/v1/votes/me": {
        get: operations["listOwnVotes"];
    };
    "/v1/webhooks": {
        get: operations["listWebhooks"];
        post: operations["createWebhook"];
    };
    "/v1/webhooks/{webhookId}": {
        get: operations["getWebhook"];
        delete: operations["deleteWebhook"];
        patch: operations["updateWebhook"];
    };
    "/v1/webhooks/{webhookId}/deliveries": {
        get: operations["listWebhookDeliveries"];
    };
    "/v1/webhooks/{webhookId}/deliveries/{deliveryId}/replay": {
        post: operations["replayWebhookDelivery"];
    };
    "/v1/webhooks/{webhookId}/ping": {
        post: operations["pingWebhook"];
    };
    "/v1/webhooks/{webhookId}/replay": {
        post: operations["replayWebhookDeadLetters"];
    };
    "/v1/webhooks/{webhookId}/rotate": {
        post: operations["rotateWebhookSecret"];
    };
}
export interface components {
    schemas: {
        ApiKey: {
            createdAt: string;
            did: string;
            environment: "live" | "test";
            expiresAt: string | null;
            id: string;
            label: string;
            lastUsedAt: string | null;
            replacedBy: string | null;
            revokedAt: string | null;
            role: ("compliance" | "program") | null;
            scopes: ("domains:read" | "domains:write" | "verification:propose" | "verification:vote" | "registry:admin")[];
            start: string;
        };
        Change: {
            action: "created" | "updated" | "suspended" | "reactivated" | "deactivated" | "proposal-opened" | "proposal-withdrawn" | "proposal-superseded" | "proposal-expired" | "verified" | "rejected" | "revoked" | "revocation-rejected" | "verification-lost" | "service-enabled" | "service-disabled" | "validity-ended";
            actor: string;
            at: string;
            changes: {
                from: unknown;
                path: string;
                to: unknown;
            }[];
            domainId: string;
            proposalId: string | null;
            reason: string | null;
            seq: number;
            version: number;
            versionId: string;
        };
        Claim: {
            amount: number;
            createdAt: string;
            id: string;
            status: "open" | "submitted" | "settled";
        };
        CompositeDocument: {
            accordedRight: {
                id: string;
                inheritedFrom?: string;
                mechanism: string;
                message: string;
                service: string;
                type: string;
            }[];
            alsoKnownAs: string[];
            assertionMethod: string[];
            authentication: string[];
            capabilityDelegation: string[];
            capabilityInvocation: string[];
            context: string[];
            keyAgreement: string[];
            linkedClaim: {
                description: string;
                encrypted: "true" | "false";
                id: string;
                inheritedFrom?: string;
                proof: string;
                right: string;
                serviceEndpoint: string;
                type: string;
            }[];
            linkedEntity: {
                id: string;
                inheritedFrom?: string;
                relationship: string;
                service: string;
                type: string;
            }[];
            linkedResource: {
                description: string;
                encrypted: "true" | "false";
                id: string;
                inheritedFrom?: string;
                mediaType: string;
                proof: string;
                right: string;
                serviceEndpoint: string;
                type: string;
            }[];
            service: {
                id: string;
                inheritedFrom?: string;
                serviceEndpoint: string;
                type: string;
            }[];
            settings: {
                [key: string]: {
                    [key: string]: unknown;
                };
            };
            verificationMethod: {
                blockchainAccountId?: string;
                controller?: string;
                id: string;
                publicKeyBase58?: string;
                publicKeyHex?: string;
                publicKeyJwk?: {
                    [key: string]: unknown;
                };
                publicKeyMultibase?: string;
                type: string;
            }[];
        };
        CompositeDomain: {
            accounts: {
                address: string;
                name: string;
            }[];
            changedSinceVerification: ("metadata" | "document" | "credentials" | "accounts" | "externalId" | "validFrom" | "validUntil")[];
            class: string;
            controller: string[];
            controllers: string[];
            createdAt: string;
            credentials: {
                id: string;
                status: "active" | "suspended" | "revoked" | "expired" | "unknown";
                type: string;
            }[];
            cycle: boolean;
            document: components["schemas"]["CompositeDocument"];
            entityVerified: boolean;
            externalId: string | null;
            id: string;
            inheritance: {
                did: string;
                found: boolean;
                version: number | null;
            }[];
            metadata: {
                [key: string]: unknown;
            };
            name: string | null;
            openProposalId: string | null;
            owner: string;
            protocol: string;
            relayerNode: string | null;
            services: {
                issuance: components["schemas"]["ServiceState"];
                reporting: components["schemas"]["ServiceState"];
            };
            status: "active" | "suspended" | "deactivated";
            suspendedBy: ("controller" | "admin") | null;
            truncated: boolean;
            type: string;
            updatedAt: string;
            validFrom: string | null;
            validUntil: string | null;
            verificationStatus: "AwaitingVerification" | "UnderVote" | "Verified" | "Rejected" | "Revoked";
            verifiedAt: string | null;
            verifiedVersion: number | null;
            version: number;
            versionId: string;
        };
        CreatedDomain: {
            accounts: {
                address: string;
                name: string;
            }[];
            changedSinceVerification: ("metadata" | "document" | "credentials" | "accounts" | "externalId" | "validFrom" | "validUntil")[];
            class: string;
            controller: string[];
            controllers: string[];
            createdAt: string;
            credentials: {
                id: string;
                status: "active" | "suspended" | "revoked" | "expired" | "unknown";
                type: string;
            }[];
            didYouMean?: {
                [key: string]: string;
            };
            document: components["schemas"]["DomainDocument"];
            entityVerified: boolean;
            externalId: string | null;
            id: string;
            ignored?: string[];
            metadata: {
                [key: string]: unknown;
            };
            name: string | null;
            openProposalId: string | null;
            owner: string;
            protocol: string;
            relayerNode: string | null;
            services: {
                issuance: components["schemas"]["ServiceState"];
                reporting: components["schemas"]["ServiceState"];
            };
            status: "active" | "suspended" | "deactivated";
            suspendedBy: ("controller" | "admin") | null;
            type: string;
            updatedAt: string;
            validFrom: string | null;
            validUntil: string | null;
            verificationStatus: "AwaitingVerification" | "UnderVote" | "Verified" | "Rejected" | "Revoked";
            verifiedAt: string | null;
            verifiedVersion: number | null;
            version: number;
            versionId: string;
        };
        Credits: {
            balance: number;
            held: number;
        };
        DidResolution: {
            didDocument: {
                [key: string]: unknown;
            } | null;
            didDocumentMetadata: {
                [key: string]: unknown;
            };
            didResolutionMetadata: {
                [key: string]: unknown;
            };
        };
        Domain: {
            accounts: {
                address: string;
                name: string;
            }[];
            changedSinceVerification: ("metadata" | "document" | "credentials" | "accounts" | "externalId" | "validFrom" | "validUntil")[];
            class: string;
            controller: string[];
            controllers: string[];
            createdAt: string;
            credentials: {
                id: string;
                status: "active" | "suspended" | "revoked" | "expired" | "unknown";
                type: string;
            }[];
            document: components["schemas"]["DomainDocument"];
            entityVerified: boolean;
            externalId: string | null;
            id: string;
            metadata: {
                [key: string]: unknown;
            };
            name: string | null;
            openProposalId: string | null;
            owner: string;
            protocol: string;
            relayerNode: string | null;
            services: {
                issuance: components["schemas"]["ServiceState"];
                reporting: components["schemas"]["ServiceState"];
            };
            status: "active" | "suspended" | "deactivated";
            suspendedBy: ("controller" | "admin") | null;
            type: string;
            updatedAt: string;
            validFrom: string | null;
            validUntil: string | null;
            verificationStatus: "AwaitingVerification" | "UnderVote" | "Verified" | "Rejected" | "Revoked";
            verifiedAt: string | null;
            verifiedVersion: number | null;
            version: number;
            versionId: string;
        };
        DomainCard: {
            "@context": unknown[];
            credentialSubject: {
                brand?: string;
                changedSinceVerification?: ("metadata" | "document" | "credentials" | "accounts" | "externalId" | "validFrom" | "validUntil")[];
                class: string;
                controllers: string[];
                description?: string;
                domainType: string;
                entityVerified: boolean;
                id: string;
                image?: string;
                location?: string;
                logo?: string;
                metadata: {
                    [key: string]: unknown;
                };
                name?: string;
                status: "active" | "suspended" | "deactivated";
                updatedAt: string;
                url?: string;
                verificationStatus: "AwaitingVerification" | "UnderVote" | "Verified" | "Rejected" | "Revoked";
                verifiedAt?: string;
                verifiedVersion?: number;
                version: number;
                versionId: string;
                website?: string;
            };
            id: string;
            issuer: string;
            type: string[];
            validFrom: string;
            validUntil?: string;
        };
        DomainDocument: {
            accordedRight: {
                id: string;
                mechanism: string;
                message: string;
                service: string;
                type: string;
            }[];
            alsoKnownAs: string[];
            assertionMethod: string[];
            authentication: string[];
            capabilityDelegation: string[];
            capabilityInvocation: string[];
            context: string[];
            keyAgreement: string[];
            linkedClaim: {
                description: string;
                encrypted: "true" | "false";
                id: string;
                proof: string;
                right: string;
                serviceEndpoint: string;
                type: string;
            }[];
            linkedEntity: {
                id: string;
                relationship: string;
                service: string;
                type: string;
            }[];
            linkedResource: {
                description: string;
                encrypted: "true" | "false";
                id: string;
                mediaType: string;
                proof: string;
                right: string;
                serviceEndpoint: string;
                type: string;
            }[];
            service: {
                id: string;
                serviceEndpoint: string;
                type: string;
            }[];
            verificationMethod: {
                blockchainAccountId?: string;
                controller?: string;
                id: string;
                publicKeyBase58?: string;
                publicKeyHex?: string;
                publicKeyJwk?: {
                    [key: string]: unknown;
                };
                publicKeyMultibase?: string;
                type: string;
            }[];
        };
        DomainType: {
            aliases: string[];
            description: string;
            key: string;
            type: string;
        };
        EncryptedFile: {
            hashes: {
                sha256: string;
            };
            iv: string;
            key: {
                alg?: string;
                k: string;
                kty?: string;
            };
            url: string;
            v: string;
        };
        EntityPackage: {
            class?: string | null;
            controllers?: (string | string[]) | null;
            credentials?: unknown[];
            entityDocument?: {
                [key: string]: unknown;
            } | null;
            evidence?: components["schemas"]["Evidence"][];
            notes?: string | null;
            programme?: (string | {
                [key: string]: unknown;
            }) | null;
            relayerNode?: string | null;
        };
        Evidence: {
            description?: string | null;
            digest?: string | null;
            id?: string | null;
            mediaType?: string | null;
            type: string;
            uri: string;
        };
        FrontendTools: {
            execution: string;
            protocolVersion: number;
            timeoutOutcome: string;
        };
        GraphqlAnswer: {
            data?: {
                [key: string]: unknown;
            } | null;
            errors?: {
                extensions: {
                    code: string;
                    requestId: string;
                };
                locations?: {
                    column: number;
                    line: number;
                }[];
                message: string;
                path?: (string | number)[];
            }[];
            extensions?: {
                cost: number;
                notes?: string[];
                rowCost: number;
            };
        };
        GraphqlRequest: {
            extensions?: {
                [key: string]: unknown;
            } | null;
            operationName?: string | null;
            query: string;
            variables?: {
                [key: string]: unknown;
            } | null;
        };
        Health: {
            configuration?: {
                example?: string;
                problem: string;
                surface: string;
                variable: string;
            }[];
            database: "connected" | "disconnected" | "not_bound";
            environment: string;
            frontendTools?: components["schemas"]["FrontendTools"];
            gateway?: {
                nodes: ({
                    height: string | null;
                    kind: string;
                    name: string;
                    state: string;
                } & {
                    [key: string]: unknown;
                })[];
                problems?: {
                    message: string;
                    variable: string;
                }[];
                status: "ok" | "error";
            } & {
                [key: string]: unknown;
            };
            misconfigured?: {
                [key: string]: string[];
            };
            plugins?: {
                error?: {
                    code: string;
                    message: string;
                    names: string[];
                    plugin: string;
                } & {
                    [key: string]: unknown;
                };
                excluded: {
                    missing?: string[];
                    plugin: string;
                    reason: string;
                }[];
                health?: {
                    [key: string]: unknown;
                };
                loaded: string[];
                softDepGaps: {
                    missing: string;
                    plugin: string;
                }[];
            };
            status: "ok" | "error";
            timestamp: string;
            uptime: number;
            warnings?: string[];
        } & {
            [key: string]: unknown;
        };
        HistoricVersion: {
            action: "created" | "updated" | "suspended" | "reactivated" | "deactivated" | "proposal-opened" | "proposal-withdrawn" | "proposal-superseded" | "proposal-expired" | "verified" | "rejected" | "revoked" | "revocation-rejected" | "verification-lost" | "service-enabled" | "service-disabled" | "validity-ended";
            actor: string;
            at: string;
            changes: {
                from: unknown;
                path: string;
                to: unknown;
            }[];
            proposalId: string | null;
            reason: string | null;
            record: components["schemas"]["Domain"];
            version: number;
            versionId: string;
        };
        HistoryEntry: {
            action: "created" | "updated" | "suspended" | "reactivated" | "deactivated" | "proposal-opened" | "proposal-withdrawn" | "proposal-superseded" | "proposal-expired" | "verified" | "rejected" | "revoked" | "revocation-rejected" | "verification-lost" | "service-enabled" | "service-disabled" | "validity-ended";
            actor: string;
            at: string;
            changes: {
                from: unknown;
                path: string;
                to: unknown;
            }[];
            proposalId: string | null;
            reason: string | null;
            version: number;
            versionId: string;
        };
        Import: {
            createdAt: string;
            createdBy: string;
            id: string;
        };
        ImportLine: {
            accounts?: {
                address: string;
                name: string;
            }[] | null;
            class?: string;
            controller?: string[];
            controllers?: string[];
            credentials?: {
                id: string;
                status?: "active" | "suspended" | "revoked" | "expired" | "unknown";
                type?: string;
            }[] | null;
            document?: {
                accordedRight?: {
                    id?: string;
                    mechanism?: string;
                    message?: string;
                    service?: string;
                    type: string;
                }[] | null;
                alsoKnownAs?: string[] | null;
                assertionMethod?: string[] | null;
                authentication?: string[] | null;
                capabilityDelegation?: string[] | null;
                capabilityInvocation?: string[] | null;
                context?: string[] | null;
                keyAgreement?: string[] | null;
                linkedClaim?: {
                    description?: string;
                    encrypted?: "true" | "false";
                    id?: string;
                    proof?: string;
                    right?: string;
                    serviceEndpoint?: string;
                    type: string;
                }[] | null;
                linkedEntity?: {
                    id?: string;
                    relationship?: string;
                    service?: string;
                    type: string;
                }[] | null;
                linkedResource?: {
                    description?: string;
                    encrypted?: "true" | "false";
                    id?: string;
                    mediaType?: string;
                    proof?: string;
                    right?: string;
                    serviceEndpoint?: string;
                    type: string;
                }[] | null;
                service?: {
                    id: string;
                    serviceEndpoint: string;
                    type: string;
                }[] | null;
                verificationMethod?: {
                    blockchainAccountId?: string;
                    controller?: string;
                    id: string;
                    publicKeyBase58?: string;
                    publicKeyHex?: string;
                    publicKeyJwk?: {
                        [key: string]: unknown;
                    };
                    publicKeyMultibase?: string;
                    type: string;
                }[] | null;
            } | null;
            externalId?: string | null;
            metadata?: {
                [key: string]: unknown;
            };
            owner?: string;
            protocol?: string;
            relayerNode?: string | null;
            status?: "active";
            type: string;
            validFrom?: string | null;
            validUntil?: string | null;
        };
        IssuedApiKey: {
            createdAt: string;
            did: string;
            environment: "live" | "test";
            expiresAt: string | null;
            id: string;
            key: string;
            label: string;
            lastUsedAt: string | null;
            replacedBy: string | null;
            revokedAt: string | null;
            role: ("compliance" | "program") | null;
            scopes: ("domains:read" | "domains:write" | "verification:propose" | "verification:vote" | "registry:admin")[];
            start: string;
        };
        KeptEvidence: {
            description: string | null;
            digest: string | null;
            id: string | null;
            mediaType: string | null;
            type: string;
            uri: string;
        };
        KeptPackage: {
            class?: string | null;
            controllers?: string[] | null;
            credentials?: unknown[];
            domain?: {
                accountsHash: string;
                class: string;
                contentHash: string;
                controllers: string[];
                credentialsHash: string;
                documentHash: string;
                externalId: string | null;
                id: string;
                metadataHash: string;
                relayerNode: string | null;
                type: string;
                validFrom: string | null;
                validUntil: string | null;
                version: number;
            };
            entityDocument?: {
                [key: string]: unknown;
            } | null;
            evidence?: components["schemas"]["KeptEvidence"][];
            notes?: string | null;
            programme?: (string | {
                [key: string]: unknown;
            }) | null;
            relayerNode?: string | null;
        };
        Memory: {
            client: string;
            fact: string;
            heldForeignText: boolean;
            id: string;
            rememberedAt: string;
            runId: string;
            sessionId: string;
        };
        Message: {
            attachment?: {
                [key: string]: unknown;
            };
            attachments?: {
                [key: string]: unknown;
            }[];
            content: string;
            createdAt: string;
            id: string;
            isComplete: true;
            isReasoning: false;
            reasoning?: string;
            runId?: string;
            toolCalls?: components["schemas"]["ToolCall"][];
            type: "human" | "ai";
        };
        MessagePage: {
            hasNewer: boolean;
            hasOlder: boolean;
            messages: components["schemas"]["Message"][];
            nextCursor: string | null;
            prevCursor: string | null;
        };
        Model: {
            badge: "Fast" | "Balanced" | "Smartest";
            blurb: string;
            costLabel: "$" | "$$" | "$$$";
            family: string;
            id: string;
            isDefault: boolean;
            label: string;
            pricing: {
                currency: "USD";
                inputPerMillion: number;
                outputPerMillion: number;
                unit: "per_million_tokens";
            };
            tier: "everyday" | "balanced" | "top";
            vision: boolean;
        };
        OracleError: {
            code: "missing_authentication" | "invalid_invocation" | "invalid_delegation" | "session_limit" | "message_limit" | "message_already_answered" | "queue_full" | "daily_turn_limit" | "daily_token_limit" | "daily_tokens_reserved" | "running_turn_limit" | "address_turn_limit" | "daily_budget_exhausted" | "daily_budget_reserved" | "invalid_request" | "out_of_range" | "failed_precondition" | "unauthenticated" | "payment_required" | "forbidden" | "not_found" | "method_not_allowed" | "not_acceptable" | "request_timeout" | "cancelled" | "conflict" | "already_exists" | "aborted" | "gone" | "version_mismatch" | "too_large" | "uri_too_long" | "unsupported_media_type" | "unprocessable" | "precondition_required" | "rate_limited" | "internal" | "misconfigured" | "data_loss" | "not_implemented" | "upstream_failed" | "unavailable" | "storage_full" | "deadline_exceeded" | "unknown" | "model_rate_limited" | "model_billing" | "model_auth" | "model_timeout" | "model_failed" | "model_unreachable" | "model_unavailable" | "model_unknown" | "run_failed" | "run_interrupted" | "message_unreadable" | "answer_too_long" | "too_many_steps" | "budget_exhausted" | "gate_failed" | "answer_cut_off" | "answer_filtered" | "answer_empty" | "conversation_shortened" | "conversation_summarised" | "model_retry" | "client_tool_left_out" | "delegation_required" | "middleware_failed" | "notice";
            error: string;
            message: string;
            requestId: string;
            retryable: boolean;
            statusCode: number;
        } & {
            [key: string]: unknown;
        };
        OracleUnauthorized: {
            code: "missing_authentication" | "invalid_invocation" | "invalid_delegation";
            error: string;
            message: string;
            reason?: "expired" | "not_yet_valid" | "wrong_audience" | "malformed" | "bad_signature" | "capability" | "too_long" | "invocation_required" | "revoked";
            requestId: string;
            retryable: boolean;
            statusCode: number;
        } & {
            [key: string]: unknown;
        };
        OwnVote: {
            power: number;
            proposalId: string;
            vote: components["schemas"]["Vote"] | null;
        };
        Preferences: {
            agentName?: string;
            customInstructions?: string;
            formality?: string;
            format?: string;
            language?: string;
            length?: string;
            tone?: string;
            updatedAt?: string;
            userName?: string;
        };
        Problem: {
            code: string;
            detail: string;
            error: {
                code: string;
                details: {
                    error: string;
                    field: string;
                }[];
                message: string;
            };
            errors: components["schemas"]["ProblemDetail"][];
            instance: string;
            requestId: string;
            status: number;
            title: string;
            type: string;
        };
        ProblemDetail: {
            code: string;
            detail: string;
            header?: string;
            parameter?: string;
            pointer?: string;
        };
        Proposal: {
            awaiting: {
                noToReject: number | null;
                quorumMissing: number;
                reason: "quorum" | "votes" | "end";
                remaining: number;
                yesToPass: number | null;
            } | null;
            createdAt: string;
            decidedAt: string | null;
            decidedEarly: boolean;
            domainId: string;
            id: string;
            kind: "verify" | "revoke";
            outcomeReason: string | null;
            package: components["schemas"]["KeptPackage"] | null;
            previousStatus: "AwaitingVerification" | "UnderVote" | "Verified" | "Rejected" | "Revoked";
            proposer: string;
            proposerRole: "compliance" | "program";
            quorumMet: boolean;
            reason: string | null;
            rules: components["schemas"]["VotingRules"];
            state: "open" | "passed" | "rejected" | "expired" | "withdrawn" | "superseded";
            summary: string;
            tally: {
                abstain: number;
                cast: number;
                no: number;
                noWithVeto: number;
                yes: number;
            };
            title: string;
            totalPower: number;
            votingEndsAt: string;
        };
        ProposalDetail: {
            awaiting: {
                noToReject: number | null;
                quorumMissing: number;
                reason: "quorum" | "votes" | "end";
                remaining: number;
                yesToPass: number | null;
            } | null;
            createdAt: string;
            decidedAt: string | null;
            decidedEarly: boolean;
            domainId: string;
            electorsWithoutKey: {
                count: number;
                dids: string[];
                power: number;
            } | null;
            id: string;
            kind: "verify" | "revoke";
            outcomeReason: string | null;
            package: components["schemas"]["KeptPackage"] | null;
            previousStatus: "AwaitingVerification" | "UnderVote" | "Verified" | "Rejected" | "Revoked";
            proposer: string;
            proposerRole: "compliance" | "program";
            quorumMet: boolean;
            reason: string | null;
            rules: components["schemas"]["VotingRules"];
            state: "open" | "passed" | "rejected" | "expired" | "withdrawn" | "superseded";
            summary: string;
            tally: {
                abstain: number;
                cast: number;
                no: number;
                noWithVeto: number;
                yes: number;
            };
            title: string;
            totalPower: number;
            votingEndsAt: string;
        };
        Reply: {
            aborted?: true;
            delegationRequired?: true;
            finishReason?: "stop" | "length" | "content_filter" | "tool_calls" | "other";
            message: {
                content: string;
                id: string;
                type: "ai";
            };
            messages?: components["schemas"]["Message"][];
            sessionId: string;
        };
        RollChange: {
            actor: string | null;
            after: {
                label: string | null;
                weight: number;
            } | null;
            at: string;
            before: {
                label: string | null;
                weight: number;
            } | null;
            did: string;
            version: number;
        };
        Run: {
            client: string;
            lastSeq: number;
            requestId: string;
            runId: string;
            sessionId: string;
            startedAt: string;
            status: "queued" | "running" | "recovering" | "finished" | "aborted" | "interrupted" | "failed";
            updatedAt: string;
        };
        SendMessage: {
            agActions?: {
                description: string;
                hasRender?: boolean;
                name: string;
                schema: {
                    [key: string]: unknown;
                };
            }[];
            attachments?: ({
                eventId?: string;
                file?: components["schemas"]["EncryptedFile"];
                filename: string;
                mimetype: string;
                mxcUri?: string;
                size?: number;
            } | unknown | unknown)[];
            capabilities?: {
                approve?: boolean;
                longestAnswer?: number;
                openLinks?: boolean;
                page?: boolean;
            };
            homeServer?: string;
            mcpInvocations?: {
                [key: string]: string;
            };
            message: string;
            metadata?: {
                [key: string]: unknown;
            };
            model?: string;
            multitask?: "interrupt" | "enqueue";
            returnAllMessages?: boolean;
            stream?: boolean;
            timezone?: string;
            tools?: {
                description: string;
                name: string;
                schema: {
                    [key: string]: unknown;
                };
            }[];
        };
        ServiceState: {
            disabledAt: string | null;
            disabledReason: string | null;
            enabled: boolean;
            enabledAt: string | null;
        };
        Session: {
            createdAt: string;
            lastUpdatedAt: string;
            oracleDid: string;
            oracleEntityDid: string;
            oracleName: string;
            roomId?: string;
            sessionId: string;
            title: string;
        };
        StoreDelegation: {
            audience?: string;
            expiration?: number;
            issuer?: string;
            raw: string;
        };
        ToolCall: {
            agent?: string;
            args: {
                [key: string]: unknown;
            };
            error?: string;
            id: string;
            name: string;
            output?: string;
            status: "done" | "error";
        };
        UploadedFile: {
            expiresAt: string;
            mimetype: string;
            mxcUri: string;
            size: number;
        };
        UploadRules: {
            accept: string[];
            maxBytes: number;
            maxWaiting: number;
            uploads: boolean;
        };
        UssdDayStatistics: {
            counters: {
                [key: string]: number;
            };
            day: string;
            screens: {
                ended: number;
                language: string;
                refused: number;
                screen: string;
                shown: number;
            }[];
        };
        UssdDebugRecord: {
            activeSessions: string[];
            debugInfo: {
                context: {
                    isAuthenticated: boolean;
                    message: string;
                    phoneNumber: string;
                    provider?: string;
                    serviceCode: string;
                    sessionId: string;
                    sessionStartTime: string;
                };
                path: string;
                sessionId: string;
                state: string;
                status: "active";
            };
            otherProviders?: string[];
            sessionId: string;
        };
        UssdSessionList: {
            activeSessions: string[];
            count: number;
        };
        UssdSessionRequest: {
            phoneNumber: string;
            serviceCode: string;
            sessionId: string;
            text: string;
        };
        Vote: {
            castAt: string;
            option: "yes" | "no" | "abstain" | "no_with_veto";
            power: number;
            proposalId: string;
            rationale: string | null;
            voter: string;
        };
        Voter: {
            addedAt: string;
            did: string;
            label: string | null;
            updatedAt: string;
            version: number;
            warning: {
                code: "no_voting_key";
                message: string;
            } | null;
            weight: number;
        };
        VotingRules: {
            allowRevote: boolean;
            excludedVoters: "none" | "proposer" | "controllers" | "both";
            quorumBp: number;
            thresholdBp: number;
            vetoBp: number;
            votingPeriodSeconds: number;
        };
        Webhook: {
            actions: ("created" | "updated" | "suspended" | "reactivated" | "deactivated" | "proposal-opened" | "proposal-withdrawn" | "proposal-superseded" | "proposal-expired" | "verified" | "rejected" | "revoked" | "revocation-rejected" | "verification-lost" | "service-enabled" | "service-disabled" | "validity-ended")[];
            classes: string[];
            createdAt: string;
            createdBy: string;
            description: string | null;
            disabledAt: string | null;
            disabledReason: ("operator" | "gone" | "failing" | "host-not-allowed") | null;
            domains: string[];
            enabled: boolean;
            id: string;
            updatedAt: string;
            url: string;
        };
        WebhookDelivery: {
            attempts: number;
            endedAt: string | null;
            id: string;
            lastReason: string | null;
            lastStatus: number | null;
            nextAttemptAt: string | null;
            state: "pending" | "delivered" | "dead";
            takenAt: string;
            type: string;
        };
        WebhookWithQueue: {
            actions: ("created" | "updated" | "suspended" | "reactivated" | "deactivated" | "proposal-opened" | "proposal-withdrawn" | "proposal-superseded" | "proposal-expired" | "verified" | "rejected" | "revoked" | "revocation-rejected" | "verification-lost" | "service-enabled" | "service-disabled" | "validity-ended")[];
            classes: string[];
            createdAt: string;
            createdBy: string;
            description: string | null;
            disabledAt: string | null;
            disabledReason: ("operator" | "gone" | "failing" | "host-not-allowed") | null;
            domains: string[];
            enabled: boolean;
            id: string;
            queue: {
                backlog: number;
                cursor: number;
                dead: number;
                nextAttemptAt: string | null;
                pending: number;
            };
            updatedAt: string;
            url: string;
        };
        WebhookWithSecret: {
            actions: ("created" | "updated" | "suspended" | "reactivated" | "deactivated" | "proposal-opened" | "proposal-withdrawn" | "proposal-superseded" | "proposal-expired" | "verified" | "rejected" | "revoked" | "revocation-rejected" | "verification-lost" | "service-enabled" | "service-disabled" | "validity-ended")[];
            classes: string[];
            createdAt: string;
            createdBy: string;
            description: string | null;
            disabledAt: string | null;
            disabledReason: ("operator" | "gone" | "failing" | "host-not-allowed") | null;
            domains: string[];
            enabled: boolean;
            id: string;
            secret: string;
            updatedAt: string;
            url: string;
        };
    };
    responses: {
        Health: {
            content: {
                "application/json": components["schemas"]["Health"];
            };
        };
        OracleError: {
            content: {
                "application/json": components["schemas"]["OracleError"];
            };
        };
        Problem: {
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
    };
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export interface operations {
    readRoot: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                content: {
                    "application/json": {
                        environment: string;
                        message: string;
                        status: "ok";
                        timestamp: string;
                    };
                };
            };
        };
    };
    readDidDocument: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                content: {
                    "application/json": {
                        id: string;
                        service: {
                            [key: string]: unknown;
                        }[];
                    } & {
                        [key: string]: unknown;
                    };
                };
            };
            default: components["responses"]["OracleError"];
        };
    };
    readMcpClientDocument: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                content: {
                    "application/json": {
                        application_type: string;
                        client_id: string;
                        client_name: string;
                        client_uri: string;
                        grant_types: string[];
                        redirect_uris: string[];
                        response_types: string[];
                        token_endpoint_auth_method: string;
                    };
                };
            };
            default: components["responses"]["OracleError"];
        };
    };
    resolveDid: {
        parameters: {
            query?: {
                expandRelativeUrls?: string;
                noCache?: string;
                versionId?: string;
                versionTime?: string;
            };
            header?: {
                "If-None-Match"?: string;
            };
            path: {
                did: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                content: {
                    "application/did": {
                        [key: string]: unknown;
                    };
                    "application/did-resolution": components["schemas"]["DidResolution"];
                    "application/did+json": {
                        [key: string]: unknown;
                    };
                    "application/did+ld+json": {
                        [key: string]: unknown;
                    };
                    "application/json": components["schemas"]["DidResolution"];
                    "application/ld+json": components["schemas"]["DidResolution"] | {
                        [key: string]: unknown;
                    };
                };
            };
            304: {
                content?: never;
            };
            400: {
                content: {
                    "application/did-resolution": components["schemas"]["DidResolution"];
                    "application/json": components["schemas"]["DidResolution"];
                };
            };
            401: {
                content: {
                    "application/did-resolution": components["schemas"]["DidResolution"];
                    "application/json": components["schemas"]["DidResolution"];
                };
            };
            403: {
                content: {
                    "application/did-resolution": components["schemas"]["DidResolution"];
                    "application/json": components["schemas"]["DidResolution"];
                };
            };
            404: {
                content: {
                    "application/did-resolution": components["schemas"]["DidResolution"];
                    "application/json": components["schemas"]["DidResolution"];
                };
            };
            406: {
                content: {
                    "application/did-resolution": components["schemas"]["DidResolution"];
                    "application/json": components["schemas"]["DidResolution"];
                };
            };
            410: {
                content: {
                    "application/did": {
                        [key: string]: unknown;
                    };
                    "application/did-resolution": components["schemas"]["DidResolution"];
                    "application/did+json": {
                        [key: string]: unknown;
                    };
                    "application/did+ld+json": {
                        [key: string]: unknown;
                    };
                    "application/json": components["schemas"]["DidResolution"];
                    "application/ld+json": components["schemas"]["DidResolution"] | {
                        [key: string]: unknown;
                    };
                };
            };
            429: {
                content: {
                    "application/did-resolution": components["schemas"]["DidResolution"];
                    "application/json": components["schemas"]["DidResolution"];
                };
            };
            500: {
                content: {
                    "application/did-resolution": components["schemas"]["DidResolution"];
                    "application/json": components["schemas"]["DidResolution"];
                };
            };
            501: {
                content: {
                    "application/did-resolution": components["schemas"]["DidResolution"];
                    "application/json": components["schemas"]["DidResolution"];
                };
            };
            503: {
                content: {
                    "application/did-resolution": components["schemas"]["DidResolution"];
                    "application/json": components["schemas"]["DidResolution"];
                };
            };
            507: {
                content: {
                    "application/did-resolution": components["schemas"]["DidResolution"];
                    "application/json": components["schemas"]["DidResolution"];
                };
            };
        };
    };
    stepSession: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["UssdSessionRequest"];
            };
        };
        responses: {
            200: {
                content: {
                    "text/plain": string;
                };
            };
            429: {
                content?: never;
            };
        };
    };
    debugSession: {
        parameters: {
            query?: {
                provider?: string;
            };
            header?: never;
            path: {
                sessionId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                content: {
                    "application/json": components["schemas"]["UssdDebugRecord"];
                };
            };
            401: {
                content?: never;
            };
            404: {
                content?: never;
            };
            429: {
                content?: never;
            };
            503: {
                content?: never;
            };
        };
    };
    linkDid: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                customerId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    did: string | null;
                };
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": {
                        customerId: string;
                        did: string | null;
                    };
                };
            };
            400: {
                content?: never;
            };
            401: {
                content?: never;
            };
            404: {
                content?: never;
            };
            409: {
                content?: never;
            };
            429: {
                content?: never;
            };
            503: {
                content?: never;
            };
        };
    };
    linkPhone: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                customerId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    phoneNumber: string | null;
                };
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": {
                        customerId: string;
                        linked: boolean;
                    };
                };
            };
            400: {
                content?: never;
            };
            401: {
                content?: never;
            };
            404: {
                content?: never;
            };
            429: {
                content?: never;
            };
            503: {
                content?: never;
            };
        };
    };
    resetPin: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                customerId: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": Record<string, never>;
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": {
                        customerId: string;
                        expiresAt: string;
                        temporaryPin: string;
                    };
                };
            };
            400: {
                content?: never;
            };
            401: {
                content?: never;
            };
            404: {
                content?: never;
            };
            429: {
                content?: never;
            };
            503: {
                content?: never;
            };
        };
    };
    unlockCustomer: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                customerId: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    phoneNumber?: string;
                };
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": {
                        customerId: string;
                        locked: false;
                    };
                };
            };
            400: {
                content?: never;
            };
            401: {
                content?: never;
            };
            404: {
                content?: never;
            };
            429: {
                content?: never;
            };
            503: {
                content?: never;
            };
        };
    };
    readUssdMetrics: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                content: {
                    "text/plain": string;
                };
            };
            401: {
                content?: never;
            };
            404: {
                content?: never;
            };
            429: {
                content?: never;
            };
            503: {
                content?: never;
            };
        };
    };
    rotateKeys: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    after?: number;
                };
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": {
                        examined: number;
                        next: number | null;
                        resealed: number;
                        unreadable: number;
                    };
                };
            };
            400: {
                content?: never;
            };
            401: {
                content?: never;
            };
            404: {
                content?: never;
            };
            429: {
                content?: never;
            };
            503: {
                content?: never;
            };
        };
    };
    readUssdStatistics: {
        parameters: {
            query?: {
                until?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                content: {
                    "application/json": {
                        days: components["schemas"]["UssdDayStatistics"][];
                    };
                };
            };
            400: {
                content?: never;
            };
            401: {
                content?: never;
            };
            404: {
                content?: never;
            };
            429: {
                content?: never;
            };
            503: {
                content?: never;
            };
        };
    };
    listActiveSessions: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                content: {
                    "application/json": components["schemas"]["UssdSessionList"];
                };
            };
            401: {
                content?: never;
            };
            404: {
                content?: never;
            };
            429: {
                content?: never;
            };
            503: {
                content?: never;
            };
        };
    };
    readUploadRules: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                content: {
                    "application/json": components["schemas"]["UploadRules"];
                };
            };
            401: {
                content: {
                    "application/json": components["schemas"]["OracleUnauthorized"];
                };
            };
            default: components["responses"]["OracleError"];
        };
    };
    uploadAttachment: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            201: {
                content: {
                    "application/json": components["schemas"]["UploadedFile"];
                };
            };
            400: {
                content?: never;
            };
            401: {
                content: {
                    "application/json": components["schemas"]["OracleUnauthorized"];
                };
            };
            409: {
                content?: never;
            };
            413: {
                content?: never;
            };
            default: components["responses"]["OracleError"];
        };
    };
    deleteAttachment: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                address: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                content: {
                    "application/json": {
                        deleted: number;
                    };
                };
            };
            401: {
                content: {
                    "application/json": components["schemas"]["OracleUnauthorized"];
                };
            };
            default: components["responses"]["OracleError"];
        };
    };
    getCallKey: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                callId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                content: {
                    "application/json": {
                        encryptionKey: string;
                        oracleDid: string;
                        userDid: string;
                    };
                };
            };
            401: {
                content?: never;
            };
            default: components["responses"]["OracleError"];
        };
    };
    syncCall: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                callId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                content: {
                    "application/json": {
                        callId: string;
                        ok: true;
                    };
                };
            };
            400: {
                content?: never;
            };
            401: {
                content: {
                    "application/json": components["schemas"]["OracleUnauthorized"];
                };
            };
            default: components["responses"]["OracleError"];
        };
    };
    updateCall: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                callId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    callEndedAt?: string;
                    callStartedAt?: string;
                    callStatus: "active" | "ended";
                };
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": {
                        call: {
                            agentVoice?: string;
                            callEndedAt?: string;
                            callId: string;
                            callStartedAt?: string;
                            callStatus: "pending" | "active" | "ended";
                            callType?: string;
                            language?: string;
                            oracleDid: string;
                            sessionId?: string;
                            userDid: string;
                        };
                        ok: true;
                    };
                };
            };
            401: {
                content: {
                    "application/json": components["schemas"]["OracleUnauthorized"];
                };
            };
            default: components["responses"]["OracleError"];
        };
    };
    listSessionCalls: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                sessionId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                content: {
                    "application/json": {
                        calls: {
                            agentVoice?: string;
                            callEndedAt?: string;
                            callId: string;
                            callStartedAt?: string;
                            callStatus: "pending" | "active" | "ended";
                            callType?: string;
                            language?: string;
                            oracleDid: string;
                            sessionId?: string;
                            userDid: string;
                        }[];
                    };
                };
            };
            401: {
                content: {
                    "application/json": components["schemas"]["OracleUnauthorized"];
                };
            };
            default: components["responses"]["OracleError"];
        };
    };
    listClaims: {
        parameters: {
            query?: {
                cursor?: string;
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                content: {
                    "application/json": {
                        claims: components["schemas"]["Claim"][];
                        next?: string;
                    };
                };
            };
            401: {
                content: {
                    "application/json": components["schemas"]["OracleUnauthorized"];
                };
            };
            default: components["responses"]["OracleError"];
        };
    };
    readCredits: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                content: {
                    "application/json": components["schemas"]["Credits"];
                };
            };
            401: {
                content: {
                    "application/json": components["schemas"]["OracleUnauthorized"];
                };
            };
            default: components["responses"]["OracleError"];
        };
    };
    grantCredits: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    amount: number;
                    did: string;
                    key: string;
                };
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": {
                        balance: number;
                        granted: boolean;
                    };
                };
            };
            401: {
                content: {
                    "application/json": components["schemas"]["OracleUnauthorized"];
                };
            };
            default: components["responses"]["OracleError"];
        };
    };
    listDeadClaims: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                content: {
                    "application/json": {
                        dead: {
                            id: string;
                            reason: string | null;
                        }[];
                    };
                };
            };
            401: {
                content: {
                    "application/json": components["schemas"]["OracleUnauthorized"];
                };
            };
            default: components["responses"]["OracleError"];
        };
    };
    processClaims: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                content: {
                    "application/json": {
                        failed: number;
                        processed: number;
                        remaining: number;
                    };
                };
            };
            401: {
                content: {
                    "application/json": components["schemas"]["OracleUnauthorized"];
                };
            };
            default: components["responses"]["OracleError"];
        };
    };
    delegationStatus: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                content: {
                    "application/json": {
                        authorized: boolean;
                        expiration?: number;
                    };
                };
            };
            401: {
                content: {
                    "application/json": components["schemas"]["OracleUnauthorized"];
                };
            };
            default: components["responses"]["OracleError"];
        };
    };
    storeDelegation: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["StoreDelegation"];
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": {
                        expiration?: number;
                        ok: true;
                    };
                };
            };
            401: {
                content: {
                    "application/json": components["schemas"]["OracleUnauthorized"];
                };
            };
            default: components["responses"]["OracleError"];
        };
    };
    revokeDelegation: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                content: {
                    "application/json": {
                        ok: true;
                    };
                };
            };
            401: {
                content: {
                    "application/json": components["schemas"]["OracleUnauthorized"];
                };
            };
            default: components["responses"]["OracleError"];
        };
    };
    queryGraphqlByUrl: {
        parameters: {
            query?: {
                extensions?: string;
                operationName?: string;
                query?: string;
                variables?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                content: {
                    "application/graphql-response+json": components["schemas"]["GraphqlAnswer"];
                    "application/json": components["schemas"]["GraphqlAnswer"];
                    "text/html": string;
                };
            };
            400: {
                content: {
                    "application/graphql-response+json": components["schemas"]["GraphqlAnswer"];
                    "application/json": components["schemas"]["GraphqlAnswer"];
                };
            };
            401: {
                content: {
                    "application/graphql-response+json": components["schemas"]["GraphqlAnswer"];
                    "application/json": components["schemas"]["GraphqlAnswer"];
                };
            };
            403: {
                content: {
                    "application/graphql-response+json": components["schemas"]["GraphqlAnswer"];
                    "application/json": components["schemas"]["GraphqlAnswer"];
                };
            };
            429: {
                content: {
                    "application/graphql-response+json": components["schemas"]["GraphqlAnswer"];
                    "application/json": components["schemas"]["GraphqlAnswer"];
                };
            };
            500: {
                content: {
                    "application/graphql-response+json": components["schemas"]["GraphqlAnswer"];
                    "application/json": components["schemas"]["GraphqlAnswer"];
                };
            };
            503: {
                content: {
                    "application/graphql-response+json": components["schemas"]["GraphqlAnswer"];
                    "application/json": components["schemas"]["GraphqlAnswer"];
                };
            };
        };
    };
    queryGraphql: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["GraphqlRequest"];
            };
        };
        responses: {
            200: {
                content: {
                    "application/graphql-response+json": components["schemas"]["GraphqlAnswer"];
                    "application/json": components["schemas"]["GraphqlAnswer"];
                };
            };
            400: {
                content: {
                    "application/graphql-response+json": components["schemas"]["GraphqlAnswer"];
                    "application/json": components["schemas"]["GraphqlAnswer"];
                };
            };
            401: {
                content: {
                    "application/graphql-response+json": components["schemas"]["GraphqlAnswer"];
                    "application/json": components["schemas"]["GraphqlAnswer"];
                };
            };
            403: {
                content: {
                    "application/graphql-response+json": components["schemas"]["GraphqlAnswer"];
                    "application/json": components["schemas"]["GraphqlAnswer"];
                };
            };
            413: {
                content: {
                    "application/graphql-response+json": components["schemas"]["GraphqlAnswer"];
                    "application/json": components["schemas"]["GraphqlAnswer"];
                };
            };
            415: {
                content: {
                    "application/graphql-response+json": components["schemas"]["GraphqlAnswer"];
                    "application/json": components["schemas"]["GraphqlAnswer"];
                };
            };
            429: {
                content: {
                    "application/graphql-response+json": components["schemas"]["GraphqlAnswer"];
                    "application/json": components["schemas"]["GraphqlAnswer"];
                };
            };
            500: {
                content: {
                    "application/graphql-response+json": components["schemas"]["GraphqlAnswer"];
                    "application/json": components["schemas"]["GraphqlAnswer"];
                };
            };
            503: {
                content: {
                    "application/graphql-response+json": components["schemas"]["GraphqlAnswer"];
                    "application/json": components["schemas"]["GraphqlAnswer"];
                };
            };
        };
    };
    readHealth: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                content: {
                    "application/json": components["schemas"]["Health"];
                };
            };
            default: components["responses"]["Health"];
        };
    };
    listMcpSignIns: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                content: {
                    "application/json": {
                        servers: {
                            issuer?: string;
                            name: string;
                            scope?: string;
                            signedIn: boolean;
                            url?: string;
                        }[];
                    };
                };
            };
            401: {
                content: {
                    "application/json": components["schemas"]["OracleUnauthorized"];
                };
            };
            default: components["responses"]["OracleError"];
        };
    };
    endMcpGrant: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                server: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                content: {
                    "application/json": {
                        signedOut: boolean;
                    };
                };
            };
            401: {
                content: {
                    "application/json": components["schemas"]["OracleUnauthorized"];
                };
            };
            default: components["responses"]["OracleError"];
        };
    };
    endMcpSignIn: {
        parameters: {
            query?: {
                code?: string;
                error?: string;
                iss?: string;
                state?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                content?: never;
            };
            default: components["responses"]["OracleError"];
        };
    };
    showMcpSignIn: {
        parameters: {
            query?: {
                ticket?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                content?: never;
            };
            default: components["responses"]["OracleError"];
        };
    };
    beginMcpSignIn: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            303: {
                content?: never;
            };
            default: components["responses"]["OracleError"];
        };
    };
    listMcpPins: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                content: {
                    "application/json": {
                        pins: {
                            accepted: string;
                            server: string;
                            tool: string;
                            waiting?: string;
                        }[];
                    };
                };
            };
            401: {
                content: {
                    "application/json": components["schemas"]["OracleUnauthorized"];
                };
            };
            default: components["responses"]["OracleError"];
        };
    };
    acceptMcpPin: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    hash: string;
                    server: string;
                    tool: string;
                };
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": {
                        accepted: boolean;
                    };
                };
            };
            401: {
                content: {
                    "application/json": components["schemas"]["OracleUnauthorized"];
                };
            };
            default: components["responses"]["OracleError"];
        };
    };
    listMemory: {
        parameters: {
            query?: {
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                content: {
                    "application/json": {
                        cursor?: string;
                        memories: components["schemas"]["Memory"][];
                    };
                };
            };
            401: {
                content: {
                    "application/json": components["schemas"]["OracleUnauthorized"];
                };
            };
            default: components["responses"]["OracleError"];
        };
    };
    deleteAllMemory: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                content: {
                    "application/json": {
                        deleted: number;
                    };
                };
            };
            401: {
                content: {
                    "application/json": components["schemas"]["OracleUnauthorized"];
                };
            };
            default: components["responses"]["OracleError"];
        };
    };
    deleteMemory: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                content: {
                    "application/json": {
                        deleted: number;
                    };
                };
            };
            401: {
                content: {
                    "application/json": components["schemas"]["OracleUnauthorized"];
                };
            };
            default: components["responses"]["OracleError"];
        };
    };
    listMessages: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                sessionId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                content: {
                    "application/json": {
                        messages: components["schemas"]["Message"][];
                    };
                };
            };
            401: {
                content: {
                    "application/json": components["schemas"]["OracleUnauthorized"];
                };
            };
            default: components["responses"]["OracleError"];
        };
    };
    sendMessage: {
        parameters: {
            query?: never;
            header?: {
                "x-matrix-access-token"?: string;
                "x-matrix-homeserver"?: string;
                "x-timezone"?: string;
            };
            path: {
                sessionId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SendMessage"];
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": components["schemas"]["Reply"];
                    "text/event-stream": string;
                };
            };
            401: {
                content: {
                    "application/json": components["schemas"]["OracleUnauthorized"];
                };
            };
            default: components["responses"]["OracleError"];
        };
    };
    abortRun: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    sessionId: string;
                };
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": {
                        success: boolean;
                    };
                };
            };
            401: {
                content: {
                    "application/json": components["schemas"]["OracleUnauthorized"];
                };
            };
            default: components["responses"]["OracleError"];
        };
    };
    listModels: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                content: {
                    "application/json": {
                        default: string;
                        frontendTools: components["schemas"]["FrontendTools"];
                        models: components["schemas"]["Model"][];
                    };
                };
            };
            default: components["responses"]["OracleError"];
        };
    };
    resumeRun: {
        parameters: {
            query?: {
                after?: number;
            };
            header?: {
                "last-event-id"?: string;
            };
            path: {
                runId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                content: {
                    "text/event-stream": string;
                };
            };
            401: {
                content: {
                    "application/json": components["schemas"]["OracleUnauthorized"];
                };
            };
            default: components["responses"]["OracleError"];
        };
    };
    decideApproval: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                runId: string;
                toolCallId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    approved: boolean;
                };
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": {
                        approved: boolean;
                    };
                };
            };
            401: {
                content: {
                    "application/json": components["schemas"]["OracleUnauthorized"];
                };
            };
            default: components["responses"]["OracleError"];
        };
    };
    listSessions: {
        parameters: {
            query?: {
                limit?: number;
                offset?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                content: {
                    "application/json": {
                        sessions: components["schemas"]["Session"][];
                        total: number;
                    };
                };
            };
            401: {
                content: {
                    "application/json": components["schemas"]["OracleUnauthorized"];
                };
            };
            default: components["responses"]["OracleError"];
        };
    };
    createSession: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            201: {
                content: {
                    "application/json": components["schemas"]["Session"];
                };
            };
            401: {
                content: {
                    "application/json": components["schemas"]["OracleUnauthorized"];
                };
            };
            default: components["responses"]["OracleError"];
        };
    };
    deleteSession: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                sessionId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                content: {
                    "application/json": {
                        message: string;
                    };
                };
            };
            401: {
                content: {
                    "application/json": components["schemas"]["OracleUnauthorized"];
                };
            };
            default: components["responses"]["OracleError"];
        };
    };
    pageMessages: {
        parameters: {
            query?: {
                after?: string;
                before?: string;
                limit?: number;
            };
            header?: never;
            path: {
                sessionId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                content: {
                    "application/json": components["schemas"]["MessagePage"];
                };
            };
            401: {
                content: {
                    "application/json": components["schemas"]["OracleUnauthorized"];
                };
            };
            default: components["responses"]["OracleError"];
        };
    };
    activeRun: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                sessionId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                content: {
                    "application/json": {
                        run: components["schemas"]["Run"] | null;
                    };
                };
            };
            401: {
                content: {
                    "application/json": components["schemas"]["OracleUnauthorized"];
                };
            };
            default: components["responses"]["OracleError"];
        };
    };
    getSfuToken: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                content: {
                    "application/json": {
                        jwt: string;
                        url: string;
                    };
                };
            };
            400: {
                content?: never;
            };
            401: {
                content?: never;
            };
            404: {
                content?: never;
            };
            429: {
                content?: never;
            };
            default: components["responses"]["OracleError"];
        };
    };
    readUserPreferences: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                content: {
                    "application/json": components["schemas"]["Preferences"];
                };
            };
            401: {
                content: {
                    "application/json": components["schemas"]["OracleUnauthorized"];
                };
            };
            default: components["responses"]["OracleError"];
        };
    };
    listApiKeys: {
        parameters: {
            query?: {
                cursor?: string;
                did?: string;
                limit?: number;
                state?: ("active" | "expired" | "revoked")[];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                content: {
                    "application/json": {
                        data: components["schemas"]["ApiKey"][];
                        page: {
                            hasMore: boolean;
                            limit: number;
                            nextCursor: string | null;
                            total?: number;
                        };
                    };
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    createApiKey: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    did: string;
                    expiresAt?: string | null;
                    label: string;
                    role?: ("compliance" | "program") | null;
                    scopes: ("domains:read" | "domains:write" | "verification:propose" | "verification:vote" | "registry:admin")[];
                };
            };
        };
        responses: {
            201: {
                content: {
                    "application/json": components["schemas"]["IssuedApiKey"];
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    getApiKey: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                keyId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                content: {
                    "application/json": components["schemas"]["ApiKey"];
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    revokeApiKey: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                keyId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            204: {
                content?: never;
            };
            default: components["responses"]["Problem"];
        };
    };
    rotateApiKey: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                keyId: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    overlapSeconds?: number;
                };
            };
        };
        responses: {
            201: {
                content: {
                    "application/json": components["schemas"]["IssuedApiKey"];
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    getCurrentApiKey: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                content: {
                    "application/json": {
                        createdAt?: string;
                        did?: string;
                        environment?: "live" | "test";
                        expiresAt?: string | null;
                        id?: string;
                        label?: string;
                        lastUsedAt?: string | null;
                        replacedBy?: string | null;
                        revokedAt?: string | null;
                        role?: ("compliance" | "program") | null;
                        scopes?: ("domains:read" | "domains:write" | "verification:propose" | "verification:vote" | "registry:admin")[];
                        start?: string;
                    };
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    listChanges: {
        parameters: {
            query?: {
                after?: number;
                latest?: number;
                limit?: number;
                wait?: number;
            };
            header?: {
                "Last-Event-ID"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                content: {
                    "application/json": {
                        data: components["schemas"]["Change"][];
                        page: {
                            hasMore: boolean;
                            limit: number;
                            nextAfter: number;
                        };
                    };
                    "text/event-stream": string;
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    listDomainTypes: {
        parameters: {
            query?: never;
            header?: {
                "If-None-Match"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                content: {
                    "application/json": {
                        data: components["schemas"]["DomainType"][];
                        open: true;
                    };
                };
            };
            304: {
                content?: never;
            };
            default: components["responses"]["Problem"];
        };
    };
    listDomains: {
        parameters: {
            query?: {
                class?: string[];
                controller?: string[];
                count?: "true" | "false";
                createdFrom?: string;
                createdTo?: string;
                cursor?: string;
                externalId?: string[];
                limit?: number;
                owner?: string[];
                protocol?: string[];
                q?: string;
                relayerNode?: string[];
                sort?: "createdAt" | "updatedAt" | "name" | "type" | "validFrom" | "validUntil" | "id" | "relevance" | "-createdAt" | "-updatedAt" | "-name" | "-type" | "-validFrom" | "-validUntil" | "-id" | "-relevance";
                status?: ("active" | "suspended" | "deactivated")[];
                type?: string[];
                updatedFrom?: string;
                updatedTo?: string;
                validAt?: string;
                verificationStatus?: ("AwaitingVerification" | "UnderVote" | "Verified" | "Rejected" | "Revoked")[];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                content: {
                    "application/json": {
                        data: components["schemas"]["Domain"][];
                        page: {
                            hasMore: boolean;
                            limit: number;
                            nextCursor: string | null;
                            total?: number;
                        };
                    };
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    createDomain: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    accounts?: {
                        address: string;
                        name: string;
                    }[] | null;
                    class?: string;
                    controller?: string[];
                    controllers?: string[];
                    credentials?: {
                        id: string;
                        status?: "active" | "suspended" | "revoked" | "expired" | "unknown";
                        type?: string;
                    }[] | null;
                    document?: {
                        accordedRight?: {
                            id?: string;
                            mechanism?: string;
                            message?: string;
                            service?: string;
                            type: string;
                        }[] | null;
                        alsoKnownAs?: string[] | null;
                        assertionMethod?: string[] | null;
                        authentication?: string[] | null;
                        capabilityDelegation?: string[] | null;
                        capabilityInvocation?: string[] | null;
                        context?: string[] | null;
                        keyAgreement?: string[] | null;
                        linkedClaim?: {
                            description?: string;
                            encrypted?: "true" | "false";
                            id?: string;
                            proof?: string;
                            right?: string;
                            serviceEndpoint?: string;
                            type: string;
                        }[] | null;
                        linkedEntity?: {
                            id?: string;
                            relationship?: string;
                            service?: string;
                            type: string;
                        }[] | null;
                        linkedResource?: {
                            description?: string;
                            encrypted?: "true" | "false";
                            id?: string;
                            mediaType?: string;
                            proof?: string;
                            right?: string;
                            serviceEndpoint?: string;
                            type: string;
                        }[] | null;
                        service?: {
                            id: string;
                            serviceEndpoint: string;
                            type: string;
                        }[] | null;
                        verificationMethod?: {
                            blockchainAccountId?: string;
                            controller?: string;
                            id: string;
                            publicKeyBase58?: string;
                            publicKeyHex?: string;
                            publicKeyJwk?: {
                                [key: string]: unknown;
                            };
                            publicKeyMultibase?: string;
                            type: string;
                        }[] | null;
                    } | null;
                    externalId?: string | null;
                    metadata?: {
                        [key: string]: unknown;
                    };
                    protocol?: string;
                    relayerNode?: string | null;
                    status?: "active";
                    type: string;
                    validFrom?: string | null;
                    validUntil?: string | null;
                };
            };
        };
        responses: {
            201: {
                content: {
                    "application/json": components["schemas"]["CreatedDomain"];
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    getDomain: {
        parameters: {
            query?: never;
            header?: {
                "If-None-Match"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                content: {
                    "application/json": components["schemas"]["Domain"];
                };
            };
            304: {
                content?: never;
            };
            default: components["responses"]["Problem"];
        };
    };
    deactivateDomain: {
        parameters: {
            query?: never;
            header: {
                "If-Match": string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                content: {
                    "application/json": components["schemas"]["Domain"];
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    updateDomain: {
        parameters: {
            query?: never;
            header: {
                "If-Match": string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/merge-patch+json": {
                    accounts?: {
                        address: string;
                        name: string;
                    }[] | null;
                    class?: string;
                    controller?: string[];
                    controllers?: string[];
                    credentials?: {
                        id: string;
                        status?: "active" | "suspended" | "revoked" | "expired" | "unknown";
                        type?: string;
                    }[] | null;
                    document?: {
                        accordedRight?: {
                            id?: string;
                            mechanism?: string;
                            message?: string;
                            service?: string;
                            type: string;
                        }[] | null;
                        alsoKnownAs?: string[] | null;
                        assertionMethod?: string[] | null;
                        authentication?: string[] | null;
                        capabilityDelegation?: string[] | null;
                        capabilityInvocation?: string[] | null;
                        context?: string[] | null;
                        keyAgreement?: string[] | null;
                        linkedClaim?: {
                            description?: string;
                            encrypted?: "true" | "false";
                            id?: string;
                            proof?: string;
                            right?: string;
                            serviceEndpoint?: string;
                            type: string;
                        }[] | null;
                        linkedEntity?: {
                            id?: string;
                            relationship?: string;
                            service?: string;
                            type: string;
                        }[] | null;
                        linkedResource?: {
                            description?: string;
                            encrypted?: "true" | "false";
                            id?: string;
                            mediaType?: string;
                            proof?: string;
                            right?: string;
                            serviceEndpoint?: string;
                            type: string;
                        }[] | null;
                        service?: {
                            id: string;
                            serviceEndpoint: string;
                            type: string;
                        }[] | null;
                        verificationMethod?: {
                            blockchainAccountId?: string;
                            controller?: string;
                            id: string;
                            publicKeyBase58?: string;
                            publicKeyHex?: string;
                            publicKeyJwk?: {
                                [key: string]: unknown;
                            };
                            publicKeyMultibase?: string;
                            type: string;
                        }[] | null;
                    } | null;
                    externalId?: string | null;
                    metadata?: {
                        [key: string]: unknown;
                    };
                    protocol?: string;
                    relayerNode?: string | null;
                    status?: "active" | "suspended";
                    validFrom?: string | null;
                    validUntil?: string | null;
                };
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": components["schemas"]["Domain"];
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    getDomainCard: {
        parameters: {
            query?: never;
            header?: {
                "If-None-Match"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                content: {
                    "application/json": components["schemas"]["DomainCard"];
                    "application/vc": components["schemas"]["DomainCard"];
                };
            };
            304: {
                content?: never;
            };
            default: components["responses"]["Problem"];
        };
    };
    getCompositeDomain: {
        parameters: {
            query?: never;
            header?: {
                "If-None-Match"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                content: {
                    "application/json": components["schemas"]["CompositeDomain"];
                };
            };
            304: {
                content?: never;
            };
            default: components["responses"]["Problem"];
        };
    };
    getDomainDocument: {
        parameters: {
            query?: never;
            header?: {
                "If-None-Match"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                content: {
                    "application/json": {
                        [key: string]: unknown;
                    };
                };
            };
            304: {
                content?: never;
            };
            default: components["responses"]["Problem"];
        };
    };
    putDocumentItem: {
        parameters: {
            query?: never;
            header: {
                "If-Match": string;
            };
            path: {
                id: string;
                itemId: string;
                list: "verificationMethod" | "service" | "linkedResource" | "linkedClaim" | "linkedEntity" | "accordedRight";
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    [key: string]: unknown;
                };
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": components["schemas"]["Domain"];
                };
            };
            201: {
                content: {
                    "application/json": components["schemas"]["Domain"];
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    deleteDocumentItem: {
        parameters: {
            query?: never;
            header: {
                "If-Match": string;
            };
            path: {
                id: string;
                itemId: string;
                list: "verificationMethod" | "service" | "linkedResource" | "linkedClaim" | "linkedEntity" | "accordedRight";
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                content: {
                    "application/json": components["schemas"]["Domain"];
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    getDomainMarkdown: {
        parameters: {
            query?: never;
            header?: {
                "If-None-Match"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                content: {
                    "text/markdown": string;
                };
            };
            304: {
                content?: never;
            };
            default: components["responses"]["Problem"];
        };
    };
    putDomainMarkdown: {
        parameters: {
            query?: never;
            header: {
                "If-Match": string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "text/markdown": string;
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": components["schemas"]["Domain"];
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    postDomainMarkdown: {
        parameters: {
            query?: never;
            header: {
                "If-Match": string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "text/markdown": string;
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": components["schemas"]["Domain"];
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    getEligibility: {
        parameters: {
            query?: {
                activity?: "reporting" | "issuance";
            };
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                content: {
                    "application/json": {
                        checkedAt: string;
                        domainId: string;
                        eligible: boolean;
                        reasons: {
                            code: "deactivated" | "suspended" | "not_yet_valid" | "expired" | "awaiting_verification" | "under_vote" | "rejected" | "revoked" | "service_disabled";
                            message: string;
                        }[];
                        services: {
                            issuance: components["schemas"]["ServiceState"];
                            reporting: components["schemas"]["ServiceState"];
                        };
                        status: "active" | "suspended" | "deactivated";
                        validFrom: string | null;
                        validUntil: string | null;
                        verificationStatus: "AwaitingVerification" | "UnderVote" | "Verified" | "Rejected" | "Revoked";
                    };
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    listHistory: {
        parameters: {
            query?: {
                cursor?: string;
                limit?: number;
            };
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                content: {
                    "application/json": {
                        data: components["schemas"]["HistoryEntry"][];
                        page: {
                            hasMore: boolean;
                            limit: number;
                            nextCursor: string | null;
                            total?: number;
                        };
                    };
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    getHistoricVersion: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
                version: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                content: {
                    "application/json": components["schemas"]["HistoricVersion"];
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    listDomainProposals: {
        parameters: {
            query?: {
                cursor?: string;
                limit?: number;
            };
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                content: {
                    "application/json": {
                        data: components["schemas"]["Proposal"][];
                        page: {
                            hasMore: boolean;
                            limit: number;
                            nextCursor: string | null;
                            total?: number;
                        };
                    };
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    createProposal: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    kind?: "verify" | "revoke";
                    package?: components["schemas"]["EntityPackage"] | null;
                    reason?: string | null;
                    summary?: string;
                    title: string;
                };
            };
        };
        responses: {
            201: {
                content: {
                    "application/json": components["schemas"]["Proposal"];
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    getService: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
                name: "reporting" | "issuance";
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                content: {
                    "application/json": components["schemas"]["ServiceState"];
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    switchService: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
                name: "reporting" | "issuance";
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    enabled: boolean;
                };
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": components["schemas"]["ServiceState"];
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    exportDomains: {
        parameters: {
            query?: {
                class?: string[];
                controller?: string[];
                createdFrom?: string;
                createdTo?: string;
                cursor?: string;
                externalId?: string[];
                owner?: string[];
                protocol?: string[];
                q?: string;
                relayerNode?: string[];
                status?: ("active" | "suspended" | "deactivated")[];
                type?: string[];
                updatedFrom?: string;
                updatedTo?: string;
                validAt?: string;
                verificationStatus?: ("AwaitingVerification" | "UnderVote" | "Verified" | "Rejected" | "Revoked")[];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                content: {
                    "application/x-ndjson": string;
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    listImports: {
        parameters: {
            query?: {
                cursor?: string;
                fingerprint?: string;
                limit?: number;
                line?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                content: {
                    "application/json": {
                        data: components["schemas"]["Import"][];
                        page: {
                            hasMore: boolean;
                            limit: number;
                            nextCursor: string | null;
                            total?: number;
                        };
                    };
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    getImport: {
        parameters: {
            query?: {
                after?: number;
            };
            header?: never;
            path: {
                importId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                content: {
                    "application/json": {
                        createdAt: string;
                        createdBy: string;
                        done: {
                            from: number;
                            to: number;
                        }[];
                        id: string;
                        nextAfter: number | null;
                    };
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    importDomains: {
        parameters: {
            query?: {
                dryRun?: "true" | "false";
                firstLine?: number;
            };
            header?: never;
            path: {
                importId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/x-ndjson": string;
            };
        };
        responses: {
            200: {
                content: {
                    "application/x-ndjson": string;
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    listLabels: {
        parameters: {
            query: {
                did: string[];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                content: {
                    "application/json": {
                        data: {
                            did: string;
                            label: string;
                        }[];
                    };
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    listProposals: {
        parameters: {
            query?: {
                cursor?: string;
                domain?: string[];
                electorate?: "me"[];
                kind?: ("verify" | "revoke")[];
                limit?: number;
                proposer?: string[];
                state?: ("open" | "passed" | "rejected" | "expired" | "withdrawn" | "superseded")[];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                content: {
                    "application/json": {
                        data: components["schemas"]["Proposal"][];
                        page: {
                            hasMore: boolean;
                            limit: number;
                            nextCursor: string | null;
                            total?: number;
                        };
                    };
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    getProposal: {
        parameters: {
            query?: never;
            header?: {
                "If-None-Match"?: string;
            };
            path: {
                pid: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                content: {
                    "application/json": components["schemas"]["ProposalDetail"];
                };
            };
            304: {
                content?: never;
            };
            default: components["responses"]["Problem"];
        };
    };
    listVotes: {
        parameters: {
            query?: {
                cursor?: string;
                limit?: number;
            };
            header?: never;
            path: {
                pid: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                content: {
                    "application/json": {
                        data: components["schemas"]["Vote"][];
                        page: {
                            hasMore: boolean;
                            limit: number;
                            nextCursor: string | null;
                            total?: number;
                        };
                    };
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    castVote: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: string;
            };
            path: {
                pid: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    option: "yes" | "no" | "abstain" | "no_with_veto";
                    rationale?: string | null;
                };
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": components["schemas"]["Vote"];
                };
            };
            201: {
                content: {
                    "application/json": components["schemas"]["Vote"];
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    getOwnVote: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                pid: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                content: {
                    "application/json": components["schemas"]["Vote"];
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    withdrawProposal: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: string;
            };
            path: {
                pid: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    reason?: string | null;
                };
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": components["schemas"]["Proposal"];
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    getVerificationRules: {
        parameters: {
            query?: never;
            header?: {
                "If-None-Match"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                content: {
                    "application/json": {
                        rules: components["schemas"]["VotingRules"];
                        totalPower: number;
                        voterCount: number;
                    };
                };
            };
            304: {
                content?: never;
            };
            default: components["responses"]["Problem"];
        };
    };
    listVoterChanges: {
        parameters: {
            query?: {
                cursor?: string;
                limit?: number;
                voter?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                content: {
                    "application/json": {
                        data: components["schemas"]["RollChange"][];
                        page: {
                            hasMore: boolean;
                            limit: number;
                            nextCursor: string | null;
                            total?: number;
                        };
                    };
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    listVoters: {
        parameters: {
            query?: {
                cursor?: string;
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                content: {
                    "application/json": {
                        data: components["schemas"]["Voter"][];
                        page: {
                            hasMore: boolean;
                            limit: number;
                            nextCursor: string | null;
                            total?: number;
                        };
                    };
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    getVoter: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                did: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                content: {
                    "application/json": components["schemas"]["Voter"];
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    putVoter: {
        parameters: {
            query?: never;
            header?: {
                "If-Match"?: string;
            };
            path: {
                did: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    label?: string | null;
                    weight: number;
                };
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": components["schemas"]["Voter"];
                };
            };
            201: {
                content: {
                    "application/json": components["schemas"]["Voter"];
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    deleteVoter: {
        parameters: {
            query?: never;
            header?: {
                "If-Match"?: string;
            };
            path: {
                did: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            204: {
                content?: never;
            };
            default: components["responses"]["Problem"];
        };
    };
    listOwnVotes: {
        parameters: {
            query: {
                proposal: string[];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                content: {
                    "application/json": {
                        data: components["schemas"]["OwnVote"][];
                        page: {
                            hasMore: boolean;
                            limit: number;
                            nextCursor: string | null;
                            total?: number;
                        };
                    };
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    listWebhooks: {
        parameters: {
            query?: {
                cursor?: string;
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                content: {
                    "application/json": {
                        data: components["schemas"]["Webhook"][];
                        page: {
                            hasMore: boolean;
                            limit: number;
                            nextCursor: string | null;
                            total?: number;
                        };
                    };
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    createWebhook: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    actions?: ("created" | "updated" | "suspended" | "reactivated" | "deactivated" | "proposal-opened" | "proposal-withdrawn" | "proposal-superseded" | "proposal-expired" | "verified" | "rejected" | "revoked" | "revocation-rejected" | "verification-lost" | "service-enabled" | "service-disabled" | "validity-ended")[];
                    classes?: string[];
                    description?: string | null;
                    domains?: string[];
                    enabled?: boolean;
                    url: string;
                };
            };
        };
        responses: {
            201: {
                content: {
                    "application/json": components["schemas"]["WebhookWithSecret"];
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    getWebhook: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                webhookId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                content: {
                    "application/json": components["schemas"]["WebhookWithQueue"];
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    deleteWebhook: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                webhookId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            204: {
                content?: never;
            };
            default: components["responses"]["Problem"];
        };
    };
    updateWebhook: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                webhookId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    actions?: ("created" | "updated" | "suspended" | "reactivated" | "deactivated" | "proposal-opened" | "proposal-withdrawn" | "proposal-superseded" | "proposal-expired" | "verified" | "rejected" | "revoked" | "revocation-rejected" | "verification-lost" | "service-enabled" | "service-disabled" | "validity-ended")[];
                    classes?: string[];
                    description?: string | null;
                    domains?: string[];
                    enabled?: boolean;
                    url?: string;
                };
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": components["schemas"]["Webhook"];
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    listWebhookDeliveries: {
        parameters: {
            query?: {
                cursor?: string;
                limit?: number;
                state?: "pending" | "delivered" | "dead";
            };
            header?: never;
            path: {
                webhookId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                content: {
                    "application/json": {
                        data: components["schemas"]["WebhookDelivery"][];
                        page: {
                            hasMore: boolean;
                            limit: number;
                            nextCursor: string | null;
                            total?: number;
                        };
                    };
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    replayWebhookDelivery: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                deliveryId: string;
                webhookId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            202: {
                content: {
                    "application/json": {
                        replayed: number;
                    };
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    pingWebhook: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                webhookId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            202: {
                content: {
                    "application/json": {
                        id: string;
                    };
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    replayWebhookDeadLetters: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                webhookId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            202: {
                content: {
                    "application/json": {
                        replayed: number;
                    };
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    rotateWebhookSecret: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                webhookId: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    overlapSeconds?: number;
                };
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": components["schemas"]["WebhookWithSecret"];
                };
            };
            default: components["responses"]["Problem"];
        };
    };
}

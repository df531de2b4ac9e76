/** The dependencies of all functions on people: the parts of the gateway that hold data about them. */
import type { UssdSessionRpc } from "../../../durable-objects/ussd-session/rpc.ts";
import type { OutboxRpc } from "../../../durable-objects/outbox/rpc.ts";
import type { OracleUsers } from "../../../platform/ports.ts";
import type { AccountSettings } from "../accounts/settings.ts";

export interface PeopleSettings extends Pick<AccountSettings, "database" | "clock" | "ring" | "log"> {
  /** The phone session with this object name. */
  session(name: string): Pick<UssdSessionRpc, "forget">;
  /** The outbox of text messages. */
  sms(): Pick<OutboxRpc, "forget" | "messagesTo">;
  /** Undefined while the oracle is misconfigured: an erasure waits for it. */
  oracle(): Promise<OracleUsers | undefined>;
}

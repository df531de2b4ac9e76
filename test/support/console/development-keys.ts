/** The keys of this machine, as development sign-in returns them. */
import type { Credentials } from "../../../console/src/api/credentials.ts";
import { readDevVarsFile } from "../../../scripts/start/dev-vars.ts";

export function developmentKeys(): Required<Omit<Credentials, "gatewaySecret">> {
  const secrets = readDevVarsFile(".dev.vars");
  const secret = (name: string): string => {
    const value = secrets.get(name);
    if (value === undefined) throw new Error(`.dev.vars has no ${name}`);
    return value;
  };
  return {
    apiKey: secret("DEV_API_KEY"),
    operatorToken: secret("ADMIN_TOKEN"),
    phoneOperatorToken: secret("USSD_OPERATOR_TOKEN"),
  };
}

/** Texts of the screen of API keys, and those shared with webhooks. */
export const keysTexts = {
  whyOperator:
    "Use the token (ADMIN_TOKEN in the server's settings) to issue, rotate and revoke keys. With an API key, you see only what that key may do.",
  states: {
    active: "Active",
    expiring: "Expires soon",
    replaced: "Replaced",
    expired: "Expired",
    revoked: "Revoked",
  },
  neverUsed: "Never used",
  noEnd: "No expiry",

  backToKeys: "API keys",
  mayDo: "What it may do",
  overlaps: {
    0: "Not at all",
    3600: "1 hour",
    86400: "24 hours",
    259200: "3 days",
    604800: "7 days",
  },
  roles: { compliance: "Compliance", program: "Programme" },
};

/** Texts of the screens of webhooks and their deliveries. */
export const webhooksTexts = {
  everyChange: "Every change",

  back: "Webhooks",
  delivered: "Delivered",
  givenUp: "Given up",
};

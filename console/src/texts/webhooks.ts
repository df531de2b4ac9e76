/** Words of the screens of webhooks and their deliveries. */

export const webhooksTexts = {
  everyChange: "Every change",

  back: "Webhooks",
  delivered: "Delivered",
  givenUp: "Given up",
};

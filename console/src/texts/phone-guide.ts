/** Words of the guide that leads a caller to a record. */
type Option = readonly [key: string, label: string];

export const phoneGuideTexts = {
  account: ([create, createLabel]: Option, [logIn]: Option) =>
    `Send ${create}: ${createLabel}. Who has a Customer ID sends ${logIn}.`,
};

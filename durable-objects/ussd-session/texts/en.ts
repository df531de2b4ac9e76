/**
 * English, and the pattern of every dictionary. The menus add numbers and order of options. A short message has at most
 * 18 septets, so that every screen has room for one.
 */
export const english = {
  texts: {
    welcome: "Welcome to {app}",
    knowMore: "Know More",
    accountMenu: "Account Menu",
    services: "Services",
    resume: "Continue where you left off",
    back: "Back",
    exit: "Exit",
    more: "More",
    skip: "Skip",
    or: "or",
    goodbye: "Thank you for using {app}. Goodbye!",

    infoTitle: "Welcome to {app} Information Center",
    infoProduct: "Interested in Product",
    infoPricing: "Pricing & accessories",
    infoDelivery: "Can we deliver to you?",
    backToMain: "Back to Main Menu",
    sendSms: "Send this by SMS",

    accountQuestion: "Do you have an existing account?",
    yesLogIn: "Yes, log me in",
    noCreate: "No, create my account",
    logIn: "Log in",
    createAccount: "Create account",

    customerIdPrompt: "Enter your Customer ID to log in:",
    forgotCustomerId: "I forgot my ID",
    recoveryPrompt: "Enter your PIN to see your Customer ID:",
    callSupport: "Call {phone}.",
    pinPrompt: "Enter your PIN:",
    loginWelcome: "Welcome, {name}!",
    loginDone: "Login successful for Customer ID: {id}.",
    continue: "Continue",

    namePrompt: "Enter your full name:",
    emailPrompt: "Enter your email address (optional):",
    createPinPrompt: "Create a 5-digit PIN for your account:",
    confirmPinPrompt: "Confirm your 5-digit PIN:",
    creating: "Creating your account...",
    viewCustomerId: "View your Customer ID",
    created: "Account created successfully!",
    yourCustomerId: "Your Customer ID: {id}",
    saveCustomerId: "Save your Customer ID to access services.",
    backToAccountMenu: "Back to Account Menu",

    myDomains: "My records",
    checkDomain: "Check a record's status",
    askOracle: "Ask a question",
    changePin: "Change PIN",
    language: "Language",

    domainType: "Type: {type}",
    domainStatus: "Status: {status}",
    domainValidUntil: "Valid until: {date}",
    showDid: "Show its number",
    domainPrompt: "Enter the record's number, or its last 6 or more characters:",
    checkAnother: "Check another",
    severalDomains: "Which one?",

    questionPrompt: "Type your question (max 120 characters):",
    oracleWorking: "Still looking for an answer.",
    checkAgain: "Check again",
    askAgain: "Ask again",
    cutMark: "(cut)",

    currentPinPrompt: "Enter your current PIN:",
    newPinPrompt: "Enter a new 5-digit PIN:",
    confirmNewPinPrompt: "Confirm the new PIN:",
    languagePrompt: "Choose your language:",
    discardForm: "Your unfinished account form will be lost.",
    sessionFull: "No more can be typed in this session. Dial again to continue.",
    wait: "Please wait, this is taking longer.",
  },
  messages: {
    invalidSelection: { long: "Invalid selection. Please choose {choices}.", short: "Invalid choice." },
    empty: { long: "Please enter a value.", short: "Nothing entered." },
    tooLong: { long: "Too long.", short: "Too long." },
    menuUpdated: { long: "The menu was updated.", short: "Menu updated." },
    loginAgain: { long: "Please log in again.", short: "Log in again." },
    loginFirst: { long: "Log in to see your answer.", short: "Log in first." },
    almostFull: {
      long: "Only {room} more {room|character fits|characters fit} in this session.",
      short: "{room} left.",
    },
    unavailable: { long: "Not available now. Try again later.", short: "Not available." },

    customerIdFormat: { long: "Invalid Customer ID format. Please try again.", short: "Invalid ID." },
    loginPinFormat: { long: "PIN must be 4 to 6 digits.", short: "4 to 6 digits." },
    wrongLogin: {
      long: "Incorrect Customer ID or PIN. {used} of {limit} {limit|attempt|attempts} used, {left} left.",
      short: "Wrong. {left} left.",
    },
    locked: {
      long: "Too many incorrect attempts. Locked for {minutes} {minutes|minute|minutes}. {support?Contact support for help.}",
      short: "Locked {minutes} min.",
    },
    setNewPin: { long: "Please set a new PIN.", short: "Set a new PIN." },
    pinExpired: { long: "This PIN has expired. {support?Contact support.}", short: "PIN expired." },

    nameFormat: { long: "Use letters, spaces, ' or - only.", short: "Letters only." },
    emailFormat: { long: "That email is not valid.", short: "Email not valid." },
    newPinFormat: { long: "PIN must be 5 digits.", short: "5 digits, please." },
    weakPin: { long: "That PIN is too easy to guess.", short: "Too easy a PIN." },
    pinMismatch: { long: "PINs do not match.", short: "PINs differ." },
    pinKept: { long: "This account has a PIN already. It was not changed.", short: "PIN not changed." },
    tooManyAccounts: { long: "This phone has too many accounts.", short: "Too many accounts." },

    wrongPin: {
      long: "Incorrect PIN. {used} of {limit} {limit|attempt|attempts} used, {left} left.",
      short: "Wrong. {left} left.",
    },
    wrongRecovery: {
      long: "Not the PIN of this number's only account. {used} of {limit} {limit|attempt|attempts} used, {left} left.",
      short: "Wrong. {left} left.",
    },
    samePin: { long: "The new PIN must differ from the old one.", short: "Same as old PIN." },
    pinChanged: { long: "Your PIN was changed.", short: "PIN changed." },
    languageChanged: { long: "Your language is now English.", short: "English." },

    noDid: { long: "Your account has no identity linked yet.", short: "No identity yet." },
    noDomains: { long: "You have no records yet.", short: "No records yet." },
    domainFormat: { long: "That is not a record's number.", short: "Not a number." },
    noSuchDomain: { long: "There is no such record.", short: "No such record." },
    tooManyMatches: { long: "Too many matches, enter more characters.", short: "Too many matches." },

    notNumber: { long: "Enter a number from {min} to {max}.", short: "Wrong number." },
    notDate: { long: "Enter a valid date, such as 31/12/2026.", short: "Wrong date." },
    notPhone: { long: "Enter a phone number with its country code.", short: "Wrong phone." },
    notDigits: { long: "Enter digits only.", short: "Digits only." },

    questionTooShort: { long: "Too short.", short: "Too short." },
    dailyLimit: { long: "Daily question limit reached.", short: "Limit reached." },
    oracleFailed: { long: "No answer was found. Try again later.", short: "No answer." },
    paidPlan: { long: "This service needs a paid plan.", short: "Paid plan needed." },

    smsAccepted: { long: "The SMS is on its way.", short: "SMS on its way." },
    smsFailed: { long: "The SMS could not be sent.", short: "SMS not sent." },
  },
  verification: {
    AwaitingVerification: "awaiting verification",
    UnderVote: "proposal under vote",
    Verified: "verified",
    Rejected: "rejected",
    Revoked: "revoked",
  },
  info: {
    product:
      "{app} keeps digital records of people, places and things. With an account you can see yours, " +
      "check whether one is verified and ask questions, all by phone.",
    pricing:
      "Creating an account and checking a record cost nothing here; your network may charge for this session. " +
      "Ask your local agent for prices of products and accessories.",
    delivery: "Delivery depends on where you live. Your local agent knows areas, times and costs.",
  },
  /** SMS to the phone from which an account was created: what happened, when, and to which account. */
  notices: {
    accountCreated: "{app}: your Customer ID is {id}. Keep it: you log in with it and your PIN.",
    pinChanged: "{app}: the PIN of your account {account} was changed on {time}. Not you? {support?Contact support.}",
    pinReset:
      "{app}: support set a temporary PIN for your account {account} on {time}. Not asked for? {support?Contact support.}",
    accountLocked:
      "{app}: too many wrong PINs. Your account {account} was locked on {time} for {minutes} {minutes|minute|minutes}.",
    otherPhonesLocked:
      "{app}: too many wrong PINs for account {account} from other phones on {time}. They are locked for {minutes} {minutes|minute|minutes}. Yours is not.",
    newPhone:
      "{app}: a login to your account {account} from a new phone on {time}. Not you? {support?Contact support.}",
  },
} as const;

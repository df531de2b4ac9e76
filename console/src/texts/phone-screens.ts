/**
 * The texts of the phone's screens, in each language of the service, by which the guide recognises a screen. Texts with a
 * placeholder are cut before it. A test compares them with the service's values.
 */
export const phoneScreens = {
  checkDomain: ["Check a record's status", "Angalia hali ya rekodi", "Vérifier une fiche", "Consultar um registo"],
  domainPrompt: [
    "Enter the record's number, or its last 6 or more characters:",
    "Weka namba ya rekodi, au herufi 6 au zaidi za mwisho wake:",
    "Entrez le numéro de la fiche, ou au moins ses 6 derniers caractères :",
    "Digite o numero do registo, ou pelo menos os 6 ultimos caracteres:",
  ],
  domainStatus: ["Status:", "Hali:", "Statut :", "Estado:"],
  services: ["Services", "Huduma", "Services", "Servicos"],
  continue: ["Continue", "Endelea", "Continuer", "Continuar"],
  pinPrompt: ["Enter your PIN:", "Weka PIN yako:", "Entrez votre code PIN :", "Digite o seu PIN:"],
  customerIdPrompt: [
    "Enter your Customer ID to log in:",
    "Weka Namba yako ya Mteja ili uingie:",
    "Entrez votre numéro client pour vous connecter :",
    "Digite o seu numero de cliente para entrar:",
  ],
  yourCustomerId: ["Your Customer ID:", "Namba yako ya Mteja:", "Votre numéro client :", "Numero de cliente:"],
  backToAccountMenu: [
    "Back to Account Menu",
    "Rudi Menyu ya Akaunti",
    "Retour au menu du compte",
    "Voltar ao menu da conta",
  ],
  confirmPinPrompt: [
    "Confirm your 5-digit PIN:",
    "Thibitisha PIN yako ya tarakimu 5:",
    "Confirmez votre code PIN à 5 chiffres :",
    "Confirme o seu PIN de 5 digitos:",
  ],
  createPinPrompt: [
    "Create a 5-digit PIN for your account:",
    "Chagua PIN ya tarakimu 5 ya akaunti yako:",
    "Créez un code PIN à 5 chiffres pour votre compte :",
    "Crie um PIN de 5 digitos para a sua conta:",
  ],
  emailPrompt: [
    "Enter your email address (optional):",
    "Weka barua pepe yako (si lazima):",
    "Entrez votre adresse e-mail (facultatif) :",
    "Digite o seu e-mail (opcional):",
  ],
  namePrompt: [
    "Enter your full name:",
    "Weka jina lako kamili:",
    "Entrez votre nom complet :",
    "Digite o seu nome completo:",
  ],
  noCreate: [
    "No, create my account",
    "Hapana, nifungulie akaunti",
    "Non, créer mon compte",
    "Nao, criar a minha conta",
  ],
  createAccount: ["Create account", "Fungua akaunti", "Créer un compte", "Criar conta"],
  yesLogIn: ["Yes, log me in", "Ndiyo, niingize", "Oui, me connecter", "Sim, quero entrar"],
  logIn: ["Log in", "Ingia", "Se connecter", "Entrar"],
  accountMenu: ["Account Menu", "Menyu ya Akaunti", "Menu du compte", "Menu da conta"],
} as const;

/** Texts of the guide that leads a caller to a record. */
type Option = readonly [key: string, label: string];

export const phoneGuideTexts = {
  account: ([create, createLabel]: Option, [logIn]: Option) =>
    `Send ${create}: ${createLabel}. If you have a Customer ID, send ${logIn}.`,
};

/**
 * French, with its accents: dictionary.ts folds those that the GSM alphabet lacks. en.ts defines the keys and
 * placeholders.
 */
import type { Translation } from "./translation.ts";

export const french: Translation = {
  texts: {
    welcome: "Bienvenue sur {app}",
    knowMore: "En savoir plus",
    accountMenu: "Menu du compte",
    services: "Services",
    resume: "Reprendre où j'en étais",
    back: "Retour",
    exit: "Quitter",
    more: "Suite",
    skip: "Passer",
    or: "ou",
    goodbye: "Merci d'avoir utilisé {app}. Au revoir !",

    infoTitle: "Centre d'information {app}",
    infoProduct: "Découvrir le produit",
    infoPricing: "Prix et accessoires",
    infoDelivery: "Livrons-nous chez vous ?",
    backToMain: "Retour au menu principal",
    sendSms: "Recevoir par SMS",

    accountQuestion: "Avez-vous déjà un compte ?",
    yesLogIn: "Oui, me connecter",
    noCreate: "Non, créer mon compte",
    logIn: "Se connecter",
    createAccount: "Créer un compte",

    customerIdPrompt: "Entrez votre numéro client pour vous connecter :",
    forgotCustomerId: "Numéro oublié",
    recoveryPrompt: "Entrez votre PIN pour voir votre numéro client :",
    callSupport: "Appelez le {phone}.",
    pinPrompt: "Entrez votre code PIN :",
    loginWelcome: "Bienvenue, {name} !",
    loginDone: "Connecté avec le numéro client : {id}.",
    continue: "Continuer",

    namePrompt: "Entrez votre nom complet :",
    emailPrompt: "Entrez votre adresse e-mail (facultatif) :",
    createPinPrompt: "Créez un code PIN à 5 chiffres pour votre compte :",
    confirmPinPrompt: "Confirmez votre code PIN à 5 chiffres :",
    creating: "Création de votre compte...",
    viewCustomerId: "Voir votre numéro client",
    created: "Compte créé !",
    yourCustomerId: "Votre numéro client : {id}",
    saveCustomerId: "Gardez ce numéro pour accéder aux services.",
    backToAccountMenu: "Retour au menu du compte",

    myDomains: "Mes fiches",
    checkDomain: "Vérifier une fiche",
    askOracle: "Poser une question",
    changePin: "Changer le code PIN",
    language: "Langue",

    domainType: "Type : {type}",
    domainStatus: "Statut : {status}",
    domainValidUntil: "Jusqu'au : {date}",
    showDid: "Voir son numéro",
    domainPrompt: "Entrez le numéro de la fiche, ou au moins ses 6 derniers caractères :",
    checkAnother: "En vérifier une autre",
    severalDomains: "Laquelle ?",

    questionPrompt: "Tapez votre question (120 caractères au plus) :",
    oracleWorking: "La réponse n'est pas encore prête.",
    checkAgain: "Vérifier à nouveau",
    askAgain: "Autre question",
    cutMark: "(coupé)",

    currentPinPrompt: "Entrez votre code PIN actuel :",
    newPinPrompt: "Entrez un nouveau code PIN à 5 chiffres :",
    confirmNewPinPrompt: "Confirmez le nouveau code PIN :",
    languagePrompt: "Choisissez votre langue :",
    discardForm: "Votre formulaire de compte inachevé sera perdu.",
    sessionFull: "Vous ne pouvez plus rien saisir dans cette session. Rappelez pour continuer.",
    wait: "Patientez, cela prend plus de temps.",
  },
  messages: {
    invalidSelection: { long: "Choix invalide. Choisissez {choices}.", short: "Choix invalide." },
    empty: { long: "Veuillez saisir une valeur.", short: "Saisie vide." },
    tooLong: { long: "Trop long.", short: "Trop long." },
    menuUpdated: { long: "Le menu a été mis à jour.", short: "Menu mis à jour." },
    loginAgain: { long: "Veuillez vous reconnecter.", short: "Reconnectez-vous." },
    loginFirst: { long: "Connectez-vous pour voir votre réponse.", short: "Connectez-vous." },
    almostFull: {
      long: "Il reste {room} {room|caractère|caractères} dans cette session.",
      short: "Reste {room}.",
    },
    unavailable: { long: "Indisponible. Réessayez plus tard.", short: "Indisponible." },

    customerIdFormat: { long: "Numéro client invalide. Veuillez réessayer.", short: "Numéro invalide." },
    loginPinFormat: { long: "Le code PIN a 4 à 6 chiffres.", short: "4 à 6 chiffres." },
    wrongLogin: {
      long: "Numéro client ou PIN incorrect. Essai {used} sur {limit}, il en reste {left}.",
      short: "Faux. Reste {left}.",
    },
    locked: {
      long: "Trop d'essais incorrects. Bloqué pendant {minutes} {minutes|minute|minutes}. {support?Contactez l'assistance.}",
      short: "Bloqué {minutes} min.",
    },
    setNewPin: { long: "Veuillez choisir un nouveau code PIN.", short: "Nouveau PIN." },
    pinExpired: { long: "Ce code PIN a expiré. {support?Contactez l'assistance.}", short: "PIN expiré." },

    nameFormat: { long: "Lettres, espaces, ' ou - seulement.", short: "Lettres seulement." },
    emailFormat: { long: "Cette adresse e-mail n'est pas valide.", short: "E-mail invalide." },
    newPinFormat: { long: "Le code PIN doit avoir 5 chiffres.", short: "5 chiffres." },
    weakPin: { long: "Ce code PIN est trop facile à deviner.", short: "PIN trop facile." },
    pinMismatch: { long: "Les codes PIN sont différents.", short: "PIN différents." },
    pinKept: { long: "Ce compte a déjà un PIN. Il n'a pas changé.", short: "PIN inchangé." },
    tooManyAccounts: { long: "Ce téléphone a trop de comptes.", short: "Trop de comptes." },

    wrongPin: {
      long: "PIN incorrect. Essai {used} sur {limit}, il en reste {left}.",
      short: "Faux. Reste {left}.",
    },
    wrongRecovery: {
      long: "Pas le PIN du seul compte de ce numéro. Essai {used} sur {limit}, il en reste {left}.",
      short: "Faux. Reste {left}.",
    },
    samePin: { long: "Le nouveau PIN doit être différent de l'ancien.", short: "Même PIN." },
    pinChanged: { long: "Votre code PIN a été changé.", short: "PIN changé." },
    languageChanged: { long: "Votre langue est maintenant le français.", short: "Français." },

    noDid: { long: "Aucune identité n'est encore liée à votre compte.", short: "Aucune identité." },
    noDomains: { long: "Vous n'avez pas encore de fiche.", short: "Aucune fiche." },
    domainFormat: { long: "Ce n'est pas un numéro de fiche.", short: "Numéro invalide." },
    noSuchDomain: { long: "Cette fiche n'existe pas.", short: "Introuvable." },
    tooManyMatches: { long: "Trop de résultats, entrez plus de caractères.", short: "Trop de résultats." },

    notNumber: { long: "Entrez un nombre de {min} à {max}.", short: "Nombre invalide." },
    notDate: { long: "Entrez une date valide, comme 31/12/2026.", short: "Date invalide." },
    notPhone: { long: "Entrez un numéro de téléphone avec son indicatif.", short: "Numéro invalide." },
    notDigits: { long: "Entrez des chiffres seulement.", short: "Chiffres seuls." },

    questionTooShort: { long: "Trop court.", short: "Trop court." },
    dailyLimit: { long: "Limite de questions du jour atteinte.", short: "Limite atteinte." },
    oracleFailed: { long: "Aucune réponse trouvée. Réessayez plus tard.", short: "Pas de réponse." },
    paidPlan: { long: "Ce service demande un abonnement payant.", short: "Service payant." },

    smsAccepted: { long: "Le SMS est en route.", short: "SMS en route." },
    smsFailed: { long: "Le SMS n'a pas pu être envoyé.", short: "SMS non envoyé." },
  },
  verification: {
    AwaitingVerification: "en attente",
    UnderVote: "en cours de vote",
    Verified: "vérifié",
    Rejected: "rejeté",
    Revoked: "révoqué",
  },
  info: {
    product:
      "{app} tient des fiches numériques de personnes, lieux et objets. Avec un compte, voyez les vôtres, " +
      "vérifiez si une fiche est validée et posez des questions, par téléphone.",
    pricing:
      "Créer un compte et vérifier une fiche ne coûte rien ici ; votre réseau peut facturer cette session. " +
      "Demandez les prix à votre agent local.",
    delivery: "La livraison dépend de votre adresse. Demandez à votre agent local.",
  },
  notices: {
    accountCreated: "{app} : votre numéro client est {id}. Gardez-le : il sert à vous connecter avec votre PIN.",
    pinChanged:
      "{app} : le code PIN de votre compte {account} a été changé le {time}. Pas vous ? {support?Contactez l'assistance.}",
    pinReset:
      "{app} : PIN temporaire créé par l'assistance pour votre compte {account} le {time}. Pas demandé ? Contactez-la.",
    accountLocked:
      "{app} : trop d'essais incorrects. Votre compte {account} a été bloqué le {time} pendant {minutes} {minutes|minute|minutes}.",
    otherPhonesLocked:
      "{app} : trop d'essais sur le compte {account} d'autres téléphones le {time}. Ils sont bloqués {minutes} {minutes|minute|minutes}, pas le vôtre.",
    newPhone:
      "{app} : connexion à votre compte {account} d'un nouveau téléphone le {time}. Pas vous ? {support?Contactez l'assistance.}",
  },
};

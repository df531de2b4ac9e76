/**
 * Portuguese, with its accents: dictionary.ts folds those that the GSM alphabet lacks. en.ts defines the keys and
 * placeholders.
 */
import type { Translation } from "./translation.ts";

export const portuguese: Translation = {
  texts: {
    welcome: "Bem-vindo a {app}",
    knowMore: "Saber mais",
    accountMenu: "Menu da conta",
    services: "Serviços",
    resume: "Continuar de onde parei",
    back: "Voltar",
    exit: "Sair",
    more: "Mais",
    skip: "Saltar",
    or: "ou",
    goodbye: "Obrigado por usar {app}. Adeus!",

    infoTitle: "Centro de informação {app}",
    infoProduct: "Conhecer o produto",
    infoPricing: "Preços e acessórios",
    infoDelivery: "Entregamos onde vive?",
    backToMain: "Voltar ao menu principal",
    sendSms: "Receber por SMS",

    accountQuestion: "Já tem uma conta?",
    yesLogIn: "Sim, quero entrar",
    noCreate: "Não, criar a minha conta",
    logIn: "Entrar",
    createAccount: "Criar conta",

    customerIdPrompt: "Digite o seu número de cliente para entrar:",
    forgotCustomerId: "Esqueci o número",
    recoveryPrompt: "Digite o seu PIN para ver o seu número:",
    callSupport: "Ligue {phone}.",
    pinPrompt: "Digite o seu PIN:",
    loginWelcome: "Olá, {name}!",
    loginDone: "Entrou com o número de cliente: {id}.",
    continue: "Continuar",

    namePrompt: "Digite o seu nome completo:",
    emailPrompt: "Digite o seu e-mail (opcional):",
    createPinPrompt: "Crie um PIN de 5 dígitos para a sua conta:",
    confirmPinPrompt: "Confirme o seu PIN de 5 dígitos:",
    creating: "A criar a sua conta...",
    viewCustomerId: "Ver o seu número de cliente",
    created: "Conta criada com sucesso!",
    yourCustomerId: "Número de cliente: {id}",
    saveCustomerId: "Guarde este número para usar os serviços.",
    backToAccountMenu: "Voltar ao menu da conta",

    myDomains: "Os meus registos",
    checkDomain: "Consultar um registo",
    askOracle: "Perguntar ao assistente",
    changePin: "Mudar o PIN",
    language: "Língua",

    domainType: "Tipo: {type}",
    domainStatus: "Estado: {status}",
    domainValidUntil: "Válido até: {date}",
    showDid: "Ver o número",
    domainPrompt: "Digite o número do registo, ou pelo menos os 6 últimos caracteres:",
    checkAnother: "Consultar outro",
    severalDomains: "Qual deles?",

    questionPrompt: "Escreva a sua pergunta (máx. 120 caracteres):",
    oracleWorking: "O assistente ainda procura a resposta.",
    checkAgain: "Verificar de novo",
    askAgain: "Outra pergunta",
    cutMark: "(cortado)",

    currentPinPrompt: "Digite o seu PIN atual:",
    newPinPrompt: "Digite um novo PIN de 5 dígitos:",
    confirmNewPinPrompt: "Confirme o novo PIN:",
    languagePrompt: "Escolha a sua língua:",
    discardForm: "O formulário de conta por terminar será perdido.",
    sessionFull: "Não pode escrever mais nesta sessão. Ligue de novo para continuar.",
    wait: "Aguarde, está a demorar mais.",
  },
  messages: {
    invalidSelection: { long: "Opção inválida. Por favor escolha {choices}.", short: "Opção inválida." },
    empty: { long: "Por favor digite um valor.", short: "Nada digitado." },
    tooLong: { long: "Demasiado longo.", short: "Demasiado longo." },
    menuUpdated: { long: "O menu foi atualizado.", short: "Menu atualizado." },
    loginAgain: { long: "Por favor entre de novo.", short: "Entre de novo." },
    loginFirst: { long: "Entre para ver a sua resposta.", short: "Entre primeiro." },
    almostFull: {
      long: "{room|Resta|Restam} {room} {room|caractere|caracteres} nesta sessão.",
      short: "{room|Resta|Restam} {room}.",
    },
    unavailable: { long: "Indisponível agora. Tente mais tarde.", short: "Indisponível." },

    customerIdFormat: { long: "Número de cliente inválido. Tente de novo.", short: "Número inválido." },
    loginPinFormat: { long: "O PIN deve ter 4 a 6 dígitos.", short: "4 a 6 dígitos." },
    wrongLogin: {
      long: "Número de cliente ou PIN errado. Tentativa {used} de {limit}, {left|resta|restam} {left}.",
      short: "Errado. {left|Resta|Restam} {left}.",
    },
    locked: {
      long: "Demasiadas tentativas erradas. Bloqueado por {minutes} {minutes|minuto|minutos}. {support?Contacte o apoio.}",
      short: "Bloqueado {minutes} min",
    },
    setNewPin: { long: "Por favor defina um novo PIN.", short: "Defina novo PIN." },
    pinExpired: { long: "Este PIN expirou. {support?Contacte o apoio.}", short: "PIN expirado." },

    nameFormat: { long: "Use só letras, espaços, ' ou -.", short: "Só letras." },
    emailFormat: { long: "Esse e-mail não é válido.", short: "E-mail inválido." },
    newPinFormat: { long: "O PIN deve ter 5 dígitos.", short: "5 dígitos." },
    weakPin: { long: "Esse PIN é fácil de adivinhar.", short: "PIN muito fácil." },
    pinMismatch: { long: "Os PIN não coincidem.", short: "PIN diferentes." },
    pinKept: { long: "Esta conta já tem um PIN, que não mudou.", short: "PIN não alterado." },
    tooManyAccounts: { long: "Este telefone tem demasiadas contas.", short: "Contas a mais." },

    wrongPin: {
      long: "PIN errado. Tentativa {used} de {limit}, {left|resta|restam} {left}.",
      short: "Errado. {left|Resta|Restam} {left}.",
    },
    wrongRecovery: {
      long: "Não é o PIN da única conta deste número. Tentativa {used} de {limit}, {left|resta|restam} {left}.",
      short: "Errado. {left|Resta|Restam} {left}.",
    },
    samePin: { long: "O novo PIN deve ser diferente do antigo.", short: "Igual ao antigo." },
    pinChanged: { long: "O seu PIN foi alterado.", short: "PIN alterado." },
    languageChanged: { long: "A sua língua é agora o português.", short: "Português." },

    noDid: { long: "A sua conta ainda não tem uma identidade associada.", short: "Sem identidade." },
    noDomains: { long: "Ainda não tem registos.", short: "Sem registos." },
    domainFormat: { long: "Esse não é um número de registo.", short: "Número inválido." },
    noSuchDomain: { long: "Esse registo não existe.", short: "Não existe." },
    tooManyMatches: { long: "Muitos resultados, digite mais caracteres.", short: "Resultados a mais." },

    notNumber: { long: "Introduza um número de {min} a {max}.", short: "Número inválido." },
    notDate: { long: "Introduza uma data válida, como 31/12/2026.", short: "Data inválida." },
    notPhone: { long: "Introduza um número de telefone com o indicativo.", short: "Número inválido." },
    notDigits: { long: "Introduza apenas algarismos.", short: "Só algarismos." },

    questionTooShort: { long: "Demasiado curto.", short: "Demasiado curto." },
    dailyLimit: { long: "Limite diário de perguntas atingido.", short: "Limite atingido." },
    oracleFailed: { long: "O assistente não conseguiu responder. Tente mais tarde.", short: "Sem resposta." },
    paidPlan: { long: "Este serviço precisa de um plano pago.", short: "Serviço pago." },

    smsAccepted: { long: "O SMS está a caminho.", short: "SMS a caminho." },
    smsFailed: { long: "Não foi possível enviar o SMS.", short: "SMS não enviado." },
  },
  verification: {
    AwaitingVerification: "aguarda verificação",
    UnderVote: "em votação",
    Verified: "verificado",
    Rejected: "rejeitado",
    Revoked: "revogado",
  },
  info: {
    product:
      "{app} guarda registos digitais de pessoas, lugares e objetos. Com uma conta pode ver os seus, " +
      "consultar se um está verificado e fazer perguntas, tudo por telefone.",
    pricing:
      "Criar uma conta e consultar um registo não custa nada aqui; a sua rede pode cobrar esta sessão. " +
      "Pergunte os preços ao seu agente local.",
    delivery: "Depende de onde vive. O seu agente local conhece zonas, prazos e custos.",
  },
  notices: {
    accountCreated: "{app}: o seu número de cliente é {id}. Guarde-o: serve para entrar com o seu PIN.",
    pinChanged: "{app}: o PIN da sua conta {account} foi alterado em {time}. Não foi você? {support?Contacte o apoio.}",
    pinReset:
      "{app}: o apoio definiu um PIN temporário para a sua conta {account} em {time}. Não pediu? {support?Contacte o apoio.}",
    accountLocked:
      "{app}: demasiados PIN errados. A sua conta {account} foi bloqueada em {time} por {minutes} {minutes|minuto|minutos}.",
    otherPhonesLocked:
      "{app}: PIN errados na conta {account} de outros telefones em {time}. Esses ficam bloqueados por {minutes} {minutes|minuto|minutos}; o seu não.",
    newPhone:
      "{app}: entrada na sua conta {account} de um telefone novo em {time}. Não foi você? {support?Contacte o apoio.}",
  },
};

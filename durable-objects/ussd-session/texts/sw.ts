/** Kiswahili. en.ts defines the keys, the placeholders and the limit of short messages. */
import type { Translation } from "./translation.ts";

export const kiswahili: Translation = {
  texts: {
    welcome: "Karibu {app}",
    knowMore: "Pata Maelezo",
    accountMenu: "Menyu ya Akaunti",
    services: "Huduma",
    resume: "Endelea ulipoishia",
    back: "Rudi",
    exit: "Toka",
    more: "Zaidi",
    skip: "Ruka",
    or: "au",
    goodbye: "Asante kwa kutumia {app}. Kwaheri!",

    infoTitle: "Karibu Kituo cha Maelezo cha {app}",
    infoProduct: "Kuhusu bidhaa",
    infoPricing: "Bei na vifaa",
    infoDelivery: "Je, tunaweza kukufikishia?",
    backToMain: "Rudi Menyu Kuu",
    sendSms: "Nitumie kwa SMS",

    accountQuestion: "Je, tayari una akaunti?",
    yesLogIn: "Ndiyo, niingize",
    noCreate: "Hapana, nifungulie akaunti",
    logIn: "Ingia",
    createAccount: "Fungua akaunti",

    customerIdPrompt: "Weka Namba yako ya Mteja ili uingie:",
    forgotCustomerId: "Nimesahau namba",
    recoveryPrompt: "Weka PIN yako ili uone Namba ya Mteja:",
    callSupport: "Piga {phone}.",
    pinPrompt: "Weka PIN yako:",
    loginWelcome: "Karibu, {name}!",
    loginDone: "Umeingia kwa Namba ya Mteja: {id}.",
    continue: "Endelea",

    namePrompt: "Weka jina lako kamili:",
    emailPrompt: "Weka barua pepe yako (si lazima):",
    createPinPrompt: "Chagua PIN ya tarakimu 5 ya akaunti yako:",
    confirmPinPrompt: "Thibitisha PIN yako ya tarakimu 5:",
    creating: "Akaunti yako inafunguliwa...",
    viewCustomerId: "Ona Namba yako ya Mteja",
    created: "Akaunti imefunguliwa!",
    yourCustomerId: "Namba yako ya Mteja: {id}",
    saveCustomerId: "Hifadhi Namba ya Mteja ili upate huduma.",
    backToAccountMenu: "Rudi Menyu ya Akaunti",

    myDomains: "Rekodi zangu",
    checkDomain: "Angalia hali ya rekodi",
    askOracle: "Uliza swali",
    changePin: "Badilisha PIN",
    language: "Lugha",

    domainType: "Aina: {type}",
    domainStatus: "Hali: {status}",
    domainValidUntil: "Halali hadi: {date}",
    showDid: "Onyesha namba yake",
    domainPrompt: "Weka namba ya rekodi, au herufi 6 au zaidi za mwisho wake:",
    checkAnother: "Angalia nyingine",
    severalDomains: "Ni ipi?",

    questionPrompt: "Andika swali lako (herufi zisizidi 120):",
    oracleWorking: "Msaidizi bado anatafuta jibu.",
    checkAgain: "Angalia tena",
    askAgain: "Uliza tena",
    cutMark: "(imekatwa)",

    currentPinPrompt: "Weka PIN yako ya sasa:",
    newPinPrompt: "Weka PIN mpya ya tarakimu 5:",
    confirmNewPinPrompt: "Thibitisha PIN mpya:",
    languagePrompt: "Chagua lugha yako:",
    discardForm: "Fomu ya akaunti ambayo hujaimaliza itapotea.",
    sessionFull: "Huwezi kuandika zaidi katika kipindi hiki. Piga tena ili uendelee.",
    wait: "Tafadhali subiri, inachukua muda zaidi.",
  },
  messages: {
    invalidSelection: { long: "Chaguo si sahihi. Tafadhali chagua {choices}.", short: "Chaguo si sahihi." },
    empty: { long: "Tafadhali weka jibu.", short: "Weka jibu." },
    tooLong: { long: "Ni ndefu mno.", short: "Ni ndefu mno." },
    menuUpdated: { long: "Menyu imesasishwa.", short: "Menyu mpya." },
    loginAgain: { long: "Tafadhali ingia tena.", short: "Ingia tena." },
    loginFirst: { long: "Ingia ili uone jibu lako.", short: "Ingia kwanza." },
    almostFull: {
      long: "{room|Imebaki|Zimebaki} herufi {room} tu katika kipindi hiki.",
      short: "Herufi {room} tu.",
    },
    unavailable: { long: "Haipatikani kwa sasa. Jaribu tena baadaye.", short: "Haipatikani." },

    customerIdFormat: { long: "Muundo wa Namba ya Mteja si sahihi. Jaribu tena.", short: "Namba si sahihi." },
    loginPinFormat: { long: "PIN lazima iwe na tarakimu 4 hadi 6.", short: "Tarakimu 4 hadi 6." },
    wrongLogin: {
      long: "Namba ya Mteja au PIN si sahihi. Umejaribu mara {used} kati ya {limit}; {left|imebaki|zimebaki} mara {left}.",
      short: "Kosa. {left|Imebaki|Zimebaki} {left}.",
    },
    locked: {
      long: "Umekosea mara nyingi. Imefungwa kwa dakika {minutes}. {support?Wasiliana na huduma kwa wateja.}",
      short: "Imefungwa dk {minutes}.",
    },
    setNewPin: { long: "Tafadhali weka PIN mpya.", short: "Weka PIN mpya." },
    pinExpired: { long: "PIN hii imeisha muda. {support?Wasiliana na huduma kwa wateja.}", short: "PIN imeisha muda." },

    nameFormat: { long: "Tumia herufi, nafasi, ' au - tu.", short: "Herufi tu." },
    emailFormat: { long: "Barua pepe si sahihi.", short: "Si barua pepe." },
    newPinFormat: { long: "PIN lazima iwe na tarakimu 5.", short: "Tarakimu 5." },
    weakPin: { long: "PIN hiyo ni rahisi kukisiwa.", short: "PIN rahisi mno." },
    pinMismatch: { long: "PIN hazilingani.", short: "PIN hazilingani." },
    pinKept: { long: "Akaunti hii ina PIN tayari, haikubadilishwa.", short: "PIN haikubadilika." },
    tooManyAccounts: { long: "Simu hii ina akaunti nyingi mno.", short: "Akaunti nyingi." },

    wrongPin: {
      long: "PIN si sahihi. Umejaribu mara {used} kati ya {limit}; {left|imebaki|zimebaki} mara {left}.",
      short: "Kosa. {left|Imebaki|Zimebaki} {left}.",
    },
    wrongRecovery: {
      long: "Si PIN ya akaunti pekee ya namba hii. Umejaribu mara {used} kati ya {limit}; {left|imebaki|zimebaki} mara {left}.",
      short: "Kosa. {left|Imebaki|Zimebaki} {left}.",
    },
    samePin: { long: "PIN mpya lazima iwe tofauti na ya zamani.", short: "Ni PIN ya zamani." },
    pinChanged: { long: "PIN yako imebadilishwa.", short: "PIN imebadilika." },
    languageChanged: { long: "Lugha yako sasa ni Kiswahili.", short: "Kiswahili." },

    noDid: { long: "Akaunti yako bado haijaunganishwa na utambulisho.", short: "Haijaunganishwa." },
    noDomains: { long: "Bado huna rekodi yoyote.", short: "Huna rekodi." },
    domainFormat: { long: "Hiyo si namba ya rekodi.", short: "Namba si sahihi." },
    noSuchDomain: { long: "Rekodi hiyo haipo.", short: "Haipo." },
    tooManyMatches: { long: "Zinazolingana ni nyingi, weka herufi zaidi.", short: "Ni nyingi mno." },

    notNumber: { long: "Weka namba kati ya {min} na {max}.", short: "Namba si sahihi." },
    notDate: { long: "Weka tarehe sahihi, kama 31/12/2026.", short: "Tarehe si sahihi." },
    notPhone: { long: "Weka namba ya simu pamoja na msimbo wa nchi.", short: "Simu si sahihi." },
    notDigits: { long: "Weka tarakimu tu.", short: "Tarakimu tu." },

    questionTooShort: { long: "Ni fupi mno.", short: "Ni fupi mno." },
    dailyLimit: { long: "Umefikia kikomo cha maswali ya leo.", short: "Kikomo cha leo." },
    oracleFailed: { long: "Msaidizi hakuweza kujibu. Jaribu tena baadaye.", short: "Hakuna jibu." },
    paidPlan: { long: "Huduma hii inahitaji mpango wa kulipia.", short: "Inalipiwa." },

    smsAccepted: { long: "SMS iko njiani.", short: "SMS iko njiani." },
    smsFailed: { long: "SMS haikuweza kutumwa.", short: "SMS haikutumwa." },
  },
  verification: {
    AwaitingVerification: "inasubiri uthibitisho",
    UnderVote: "inapigiwa kura",
    Verified: "imethibitishwa",
    Rejected: "imekataliwa",
    Revoked: "imebatilishwa",
  },
  info: {
    product:
      "{app} inatunza rekodi za kidijitali za watu, mahali na vitu. Kwa akaunti unaona zako, " +
      "unaangalia kama moja imethibitishwa na unauliza maswali, yote kwa simu.",
    pricing:
      "Kufungua akaunti na kuangalia rekodi hapa ni bure; mtandao wako unaweza kutoza huduma hii. " +
      "Muulize wakala wako wa karibu bei za bidhaa na vifaa.",
    delivery: "Inategemea unapoishi. Wakala wako wa karibu anajua maeneo, muda na gharama.",
  },
  notices: {
    accountCreated: "{app}: Namba yako ya Mteja ni {id}. Ihifadhi: utaingia nayo pamoja na PIN yako.",
    pinChanged: "{app}: PIN ya akaunti yako {account} ilibadilishwa {time}. Si wewe? {support?Wasiliana na huduma.}",
    pinReset:
      "{app}: huduma iliweka PIN ya muda kwa akaunti yako {account} {time}. Hukuomba? {support?Wasiliana na huduma.}",
    accountLocked: "{app}: PIN ilikosewa mara nyingi. Akaunti yako {account} ilifungwa {time} kwa dakika {minutes}.",
    otherPhonesLocked:
      "{app}: PIN ya akaunti {account} ilikosewa kwa simu nyingine {time}. Simu hizo zimefungwa kwa dakika {minutes}. Yako haijafungwa.",
    newPhone: "{app}: akaunti yako {account} iliingiwa kwa simu mpya {time}. Si wewe? {support?Wasiliana na huduma.}",
  },
};

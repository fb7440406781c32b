import type { MaskingRule } from '../rule.ts';
import { prose } from '../value-shapes.ts';

/** Codes that people read and type: one-time codes, application passwords, and numbers of payment cards. */

/** One-time codes that are sent to people who log in. */

/** The services that send them. */
const services =
  '(?:whatsapp|telegram|signal|viber|wechat|google|gmail|facebook|instagram|microsoft|apple(?: id)?|amazon|paypal|twitter|linkedin|tiktok|github|gitlab|discord|slack|dropbox|steam|uber|booking|digid|itsme|wordpress|woocommerce|shopify|cloudflare|stripe|mollie|klarna|ebay|netflix|spotify|yahoo|zoom|e-?mail|two-factor)';
/** Words for such a code, in the languages of the sites. */
const joined =
  '(?:sms|inlog|login|log-in|security|verification|confirmation|recovery|backup|activation|registration|invitation|purchase|auth|authentication|authenticator|access|2fa|mfa|two-factor|one-time|otp|totp|unlock|sicherheits|bestätigungs|verifizierungs|einmal|zugangs|anmelde|aktivierungs|freischalt|bevestigings|beveiligings|verificatie|inlog|eenmalige|toegangs|activerings|activatie|herstel|aanmeld|bekræftelses|bekreftelses|verifiserings|verifikations|verifierings|engangs|engångs|säkerhets|sikkerheds|sikkerhets|vahvistus|kertakäyttö)[ _-]?(?:pass)?(?:codes?|koder?|kod|koodi|pin|tan)';
const apart = [
  "codes? (?:de |d['’])(?:vérification|verification|confirmation|sécurité|validation|activation|connexion|accès|récupération)",
  'c[óo]digos? de (?:verificaci[óo]n|confirmaci[óo]n|seguridad|acceso|activaci[óo]n|verifica[çc][ãa]o|confirma[çc][ãa]o|segurança|acesso|ativação)',
  'codic[ei] di (?:verifica|conferma|sicurezza|accesso|attivazione)',
  'kod (?:weryfikacyjny|potwierdzający|aktywacyjny|dostępu|autoryzacyjny)|(?:ověřovací|potvrzovací|overovací) k[óo]d|(?:doğrulama|onay) kodu|код (?:подтверждения|доступа|проверки)',
];
const whose = '(?:your|ihre?|deine?|uw|je|jouw|votre|ton|tu|su|il tuo|din|ditt|twój|váš)';
/** Codes that are not credentials. */
const otherCodes =
  '(?!(?:zip|post(?:al|code)?|area|country|error|status|exit|return|response|http|discount|coupon|promo|voucher|product|order|tracking|referral|colou?r|source|qr|bar|tax|sort|item|article|hs|iso|currency|language|region|airport|dress|short|vat|booking|reservation|customer|client|dial(?:ling)?|fehler|land|kortings?|klant|bestel)\\b)';
const is = '(?:is|are|ist|sind|zijn|lautet|luidt|est|es|è|é|är|er|to|jest|je)';
/** Words that say which code it is or what happened to it. */
const which =
  '(?: (?:for|of|für|von|voor|van|pour|para|per|til|för|dla|to|is|are|ist|lautet|luidt|was|were|sent|used|entered|(?:re)?generated|created|new|nieuwe?|neue?) ?[^\\n:;=+(]{0,40}?)?';
const hint = 'code|tan:|tan |2fa|pin|otp|one-time|einmal|código|codigo|codice|codici|kod|koodi|kód|код';
/** Digits, two groups of three digits, or groups of letters and digits. */
const codeGroups = '(?=[a-z]{0,9}\\d)[\\da-z]{4,10}(?:(?: |-|, )[\\da-z]{4,10}){1,31}(?![\\w-])';
const goesOn = '\\d{4,8}(?=,? [a-z]+\\b(?![ -]{0,2}\\d))';
const digits = '\\d{3}[ -]\\d{3,4}(?![\\w-])|\\d{4,10}(?!\\w|[.:]\\d)(?:,? \\d{4,10}(?!\\w)){0,20}';

export const loginCodes: readonly MaskingRule[] = [
  {
    // `SMS code for login: …`, `backup codes for user 3: … …`
    hint,
    shape: new RegExp(
      `(?<before>(?<![a-z\\d])(?:(?:${joined}|${services}[ _-]?codes?)${which}|(?:${apart.join('|')})(?: ${is})?|${whose} (?:${otherCodes}[\\w'-]{2,20} ){0,3}(?:codes?|kode?|código|codice|koodi|pin|tan|t?otp|one-time (?:pass(?:word|code)|pin)|passcode|einmalpasswort)(?: ${is})?|(?:enter|use|type) (?:this|the) code|(?:2fa|mfa|totp) (?:token|code)|m?tan)(?: ?[:=] ?| {1,3})["']?)(?<!\\b(?:account|client|customer|error|id|job|member|order|pid|port|request|ticket|user) )(?:${goesOn}|${codeGroups}|${digits})`,
      'gi',
    ),
    isSecret: (value) => {
      const groups = value.split(/[ ,-]+/);
      const numbered = groups.filter((group) => /\d/.test(group)).length * 2;
      return value.includes('-') ? numbered >= groups.length : numbered > groups.length;
    },
  },
  {
    // `activation code: JZUDC-UEUCF-IXEU3`
    hint,
    shape: new RegExp(
      `(?<before>(?<![a-z\\d])(?:${joined})${which}(?: ?[:=] ?| ${is} )["']?)[A-Z\\d]{3,8}(?:-[A-Z\\d]{3,8}){1,7}(?![\\w-])`,
      'gi',
    ),
    isSecret: (value) => /\d/.test(value) && value === value.toUpperCase(),
  },
  {
    // `pincode of the safe: …`
    hint: 'pin|puk',
    shape: new RegExp(
      `(?<before>(?<![a-z\\d])(?:pin[ -]?(?:codes?|number)?|puk)(?:${which}(?: ?[:=] ?| ${is} )| {1,2}${is} {1,2}))\\d{4,8}(?![\\w.:-]\\d|\\w)`,
      'gi',
    ),
  },
  {
    // `Use … to verify your account`
    hint: 'use |use: |gebruik|verwend|nutz|utilis|usa |använd|brug|bruk|użyj|enter |voer',
    shape:
      /(?<before>\b(?:use|gebruik|verwenden? sie|verwende|nutze[n]? ?(?:sie)?|utilisez|usa|utiliza|använd|brug|bruk|użyj|enter|voer) (?:(?:the|de|den|le|il|el|o|this|deze|kodu) )?(?:code |pin |código |codice |kod(?:en|e)? )?)(?:\d{4,8}|\d{3}[ -]\d{3})(?= (?:to|as|om|um|zum|pour|para|per|in|för|for|til|aby)\b)/gi,
    isSecret: (_, before, __, line) =>
      /co|kod|pin/i.test(before) ||
      /verif|log|sign|confirm|complet|reset|activat|your|inlog|anmeld|account/i.test(line),
  },
  {
    // `… is your verification code`
    hint,
    shape: new RegExp(
      `(?<before>)(?<![\\w.:-](?<!\\b[A-Z]-))(?:\\d{4,8}|\\d{3}[ -]\\d{3})(?= ${is} ${whose} [^\\n.:]{0,40}(?:code|otp|pin|código|codice|kode?\\b))`,
      'gi',
    ),
  },
  {
    // `{"type":"otp","code":"918273"}`
    hint: 'code',
    also: 'otp|2fa|mfa|sms|verif|one_time|one-time|login|confirm|passwordless|auth',
    shape:
      /(?<before>\\{0,4}["'](?:code|value|token|number)\\{0,4}["'] ?(?::|=>) ?(?:\\{0,4}["'])?)\d{4,8}(?=\\{0,4}["']|[,}\s])/g,
    isSecret: (value, _, __, line) =>
      isOfLogin.test(line) && !/error|fail|exception|status|denied/i.test(line) && !/^(?:19|20)\d\d$/.test(value),
  },
  {
    // The code on the back of a gift card
    hint: 'kaart|card|cadeau|bon|geschenk|gutschein',
    shape:
      /(?<before>\b(?:gift[ _-]?card|cadeau(?:bon|kaart)|geschenk(?:karte|gutschein)|kaart|carte[ _]cadeau)[ _-]?(?:nr|nummer|num(?:ber|mer|éro)?|no|code|pan)?\.?["'\]]{0,2}(?: ?(?:=>|[:=#]) ?| )["']?)\d{4}(?:[ -]?\d{4}){2,3}(?:[ -]?\d{1,3})?(?!\w)/gi,
  },
];

const isOfLogin =
  /["'](?:type|channel|purpose|kind|method|factor|action|event|via|scope|template|reason)\\{0,4}["'] ?(?::|=>) ?\\{0,4}["'][^"'\\]{0,40}(?:otp|2fa|mfa|sms|verif|one[_-]?time|login|confirm|passwordless|auth)/i;

/** Application passwords, which are shown in groups of four characters with spaces between them. */

const signs = /[a-z][A-Z]|\d[A-Za-z]|[A-Za-z]\d/;
/** Only hexadecimal digits: a fingerprint. */
const isFingerprint = (value: string): boolean => /^[\dA-F ]+$|^[\da-f ]+$/.test(value);
const mixed = (value: string): number => value.split(' ').filter((group) => signs.test(group)).length;

/** Text right before a value. */
const announces = /(?:[:=]|=>|\b(?:is|ist|lautet|est|es|è|é|er|är)) ?["'`]?$/i;

export const applicationPasswordsOf = (hint: string): readonly MaskingRule[] => [
  {
    // WordPress: six groups of letters in both cases and digits.
    hint,
    shape:
      /(?<before>)(?<!\w)(?!(?:pass|user|with|from|word|code|your|auth|mdp)\b)[A-Za-z\d]{4}(?: [A-Za-z\d]{4}){5}(?!\w)/gi,
    isSecret: (value, _, lead) =>
      !isFingerprint(value) &&
      (mixed(value) >= 3 || (announces.test(lead) && !value.split(' ').some((one) => prose.test(one)))),
  },
  {
    // Google: four groups of small letters.
    hint,
    shape:
      /(?<before>(?:passwor[dt]|app_?pass|wachtwoord|kennwort|passe|senha|contraseña|pass)["'\]]{0,2} ?(?:[:=]|=>|is|ist) ?["']?)[a-z]{4}(?: [a-z]{4}){3}(?![\w=:]| \w)/gi,
    isSecret: (value) => !value.split(' ').some((one) => prose.test(one)),
  },
];

/** Numbers of payment cards, recognised by their first digits, their length and their check digit. */
export const cardNumbers: MaskingRule = {
  hint: '[2-6]\\d{3}[ -]?\\d{4,6}[ -]?\\d{4}',
  shape:
    /(?<before>)(?<![\w.-])(?:(?:4\d{3}|5[1-5]\d\d|2[2-7]\d\d|6(?:011|5\d\d|4[4-9]\d)|35\d\d|62\d\d|50\d\d|6[37]\d\d)([ -]?)\d{4}\2\d{4}\2\d{1,4}(?:\2\d{3})?|3[47]\d\d([ -]?)\d{6}\3\d{5}|3(?:0[0-5]|[68]\d)\d([ -]?)\d{6}\4\d{4})(?![\w-]|\.\d)/g,
  isSecret: (value) => isCard(value) && value.replaceAll(/\D/g, '').length >= 14,
};

/** Whether the last digit is a valid check digit for a card number. */
function isCard(text: string): boolean {
  const digits = text.replaceAll(/\D/g, '');
  const sum = digits
    .split('')
    .toReversed()
    .reduce((all, digit, at) => {
      const value = Number(digit) * (at % 2 === 0 ? 1 : 2);
      return all + (value > 9 ? value - 9 : value);
    }, 0);
  return sum % 10 === 0 && new Set(digits).size > 1;
}

import { isCoined, isPlace, isRandom, technical } from '../randomness.ts';
import type { MaskingRule } from '../rule.ts';
import { readsAsSentence, state } from '../values.ts';
import {
  isTelling,
  keyNames,
  keys,
  passwordHint,
  passwordNames,
  passwords,
  secretNames,
  credentialNames,
} from '../credential-names.ts';
import { prose } from '../placeholders.ts';

/** Credentials in messages between people: a word for the credential, some other words, then the value. */

/** Words after it that say which credential it is, in the languages of the sites. */
const qualifiers =
  'for|of|to|on|in|at|from|used|read|given|entered|tried|supplied|sent|typed|now|currently|will be|should be|would be|contents?|für|zum|zur|beim|vom|von|des|der|im|auf|in der|voor|van|de|het|op|bij|uit|du|de la|des|pour|au|del|della|di|per|da|para|do|dos|til|för|på|na|pro|dla|do|är';
/** Verbs such as `is`, in those languages. */
const is =
  "is|was|are|were|became|becomes|reads|equals|luidt|lautet|lauten|ist|sind|war|waren|wordt|werd|zijn|est|sont|c'est|c’est|était|sera|es|son|será|era|è|sono|é|são|är|er|var|blir|jest|to jest|je|jsou|este|olacak";
/** The text up to the value: `(temporary) for the staging site is`, ` von haus.de lautet:` */
const which = `(?:,? (?:${qualifiers})(?: (?!(?:${is})[ :])[^\\s:="'<>(){}]{1,40}){0,5}?)`;
const aside = '(?: ?\\([^()\\n]{1,40}\\))';
const link = ' ?(?:=>|->|→|[:=]) ?';
const verb = `,? (?:${is})(?: (?:now|nu|jetzt|maintenant|ahora|adesso|agora|again|weer|wieder|still|nog|noch|currently|momenteel|aktuell|temporarily|tijdelijk|simply|gewoon|einfach|just))?(?: ?[:=])? `;
const upTo = `(?:(?:${aside}${which}?|${which})(?:${link}|${verb})|${verb})`;
const mark = '(?:\\\\{0,8}["\'“„«‘`])?';
const word = '[^\\s"\'<>“”«»`\\\\]{3,100}(?: (?=[^\\s"\'=:,;]{0,20}\\d)[^\\s"\'=:,;]{1,30}(?=\\s*$))?';

const bare = (value: string): string => value.replace(/[.,;:!?)\]}]+$/, '');
/** Whether the value is neither an ordinary word nor a machine's message about the credential. */
const looksLikeValue = (value: string): boolean => {
  const word = bare(value);
  return (
    isCoined(word) &&
    /\p{L}/u.test(word) &&
    /[\p{L}\d]{3}/u.test(word) &&
    !technical.test(word) &&
    !isPlace(word) &&
    !state.test(word) &&
    !/[=({[<>]|^[\w.+-]+@[\w-]+(?:\.[\w-]+)+$|\.(?:php|html?|js|css|log|txt|conf|ya?ml|json)$/.test(word)
  );
};

/** Excludes facts about a password, such as its age or length. */
const passwordFacts =
  '(?:policy|type|hash\\p{L}{0,5}|algorithm|length|min\\p{L}*|max\\p{L}*|expir\\p{L}*|age|strength|score|by|user|check|history|manager|generator|field|hint|login|attempts?|status|last|count|rounds|method|store|file|path|url|link|version|error|code|key|from|grant|flow|plugin|protected|validation|rule|door|von|vom|par|por|da|av|af|gebruiker|benutzer|utilisateur|usuario|because|failed|did|does|do|not|is|was)s?(?!\\p{L})';

const short = ' ww |ww:|ww =|ww is|ww v|ww luidt|ww naar';
const hint = `${passwordHint}|${short}`;
const name = `(?:${passwords}|(?<![a-z])ww|(?<![a-z])pass)`;

/** Words for a key in other languages, and for the seed of login codes. */
const foreign = `sleutel|schl(?:ü|ue)ssel|\\b(?:clé|cle)s?(?: (?:d[e'’] ?)?(?:api|licence|secr(?:è|e)te|activation|priv(?:é|e)e))?|\\b(?:chiave|clave|chave|klucz|klíč|kulcs|anahtarı?|ключ)(?: (?:api|de api|de licencia|de licença|licenza|di licenza|licencyjny))?|nyckeln?|n(?:ø|oe)gle|nøkkel|jeton|geheim|(?:totp|otp|2fa|mfa)[ _-](?:seed|secret)`;

const keyed = (names: string): RegExp =>
  new RegExp(
    `(?<before>(?:${names})(?:${link}|(?: [\\w-]{1,20}(?<! (?:checksum|commit|digest|fingerprint|hash|id|name|request|trace|type|uuid))){1,2}?(?:: | = )|${upTo})${mark})[\\w.~+/=-]{8,200}`,
    'gi',
  );
/** Groups of letters and digits: `JZUDC-UEUCF-IXEU3` */
const isGrouped = (value: string): boolean => /^(?=.*\d)[A-Z\d]{3,8}(?:-[A-Z\d]{3,8}){1,7}$/.test(value);
const isKey = (value: string): boolean =>
  isRandom(bare(value), 8) || isGrouped(bare(value)) || /^[A-Z2-7]{16,}$/.test(bare(value));

export const sentences: readonly MaskingRule[] = [
  {
    hint,
    begins: [passwordNames],
    shape: new RegExp(`(?<before>${name}${upTo}${mark})${word}`, 'gi'),
    isSecret: (value, before) => looksLikeValue(value) && !/\b(?:policy|expir|chang|reset|hash|strength)/i.test(before),
  },
  {
    // `Your password is: …`: the colon announces the value.
    hint,
    begins: [passwordNames],
    shape: new RegExp(
      `(?<before>${name}(?: [^\\s:="']{1,30}){0,4}? (?:${is}) ?: ${mark})\\p{L}{5,40}(?=[.!,]?(?: |$|["']))`,
      'giu',
    ),
    isSecret: (value) => !state.test(value) && !prose.test(value),
  },
  {
    // `ww: …`, the Dutch abbreviation
    hint: short,
    shape: new RegExp(`(?<before>(?<![a-z./@-])ww ?[:=] ?${mark})[^\\s"'<>“”«»\`\\\\]{3,100}`, 'gi'),
    isSecret: (value) => !state.test(value) && !prose.test(value),
  },
  {
    // `Password changed from … to …`, in other languages
    hint: passwordHint,
    begins: [passwordNames],
    shape: new RegExp(
      `(?<before>${name}(?: [\\p{L}\\w-]{1,20}){0,4}? (?:van|de|da|fra|från|z|ze|od) ["']?)(?<old>[^\\s"',;\\\\]{3,100})(?<to>["']? (?:naar|en|à|a|ad|till|til|na|para|do|in) ["']?)(?<fresh>[^\\s"',;\\\\]{3,100})`,
      'giu',
    ),
    shown: (match, { before = '', old = '', to = '', fresh = '' }) =>
      looksLikeValue(old) || looksLikeValue(fresh) ? `${before}***${to}***` : match,
  },
  {
    // `… veranderd in …`
    hint: passwordHint,
    begins: [passwordNames],
    shape: new RegExp(
      `(?<before>${name}(?: [^\\s:="']{1,30}){0,4}? (?:chang|reset|set|updat|gewijzigd|veranderd|aangepast|ingesteld|geändert|gesetzt|modifi|cambiad|alterad|zmienion|ændret|endret|ändrat)\\p{L}{0,4} (?:to|in|into|naar|op|auf|en|à|a|para|til|till|na) ${mark})[^\\s"'<>“”«»\`\\\\]{3,100}`,
      'giu',
    ),
    isSecret: looksLikeValue,
  },
  {
    // `Passwort geändert: …`, `mot de passe provisoire : …`
    hint: passwordHint,
    begins: [passwordNames],
    shape: new RegExp(
      `(?<before>${name}(?: (?!${passwordFacts})\\p{L}{2,20}){1,3} ?: ${mark})[^\\s"'<>“”«»\`\\\\]{4,100}`,
      'giu',
    ),
    isSecret: (value) =>
      (looksLikeValue(value) && !/^(?:\p{L}{2,8}[-_#]?\d{1,6}|\d{1,4}\p{L}{1,4})$/u.test(bare(value))) ||
      /^\p{Lu}\p{Ll}+\d{2,4}\W?$/u.test(value),
  },
  {
    // `Password Sommer 2023`: a word and a number.
    hint: passwordHint,
    begins: [passwordNames],
    shape: new RegExp(
      `(?<before>(?<![\\w-])(?:${passwords}|ww) )\\p{L}[^\\s"',;:<>()=\\\\]{3,40} \\d{1,6}(?=[,;!)"']|\\.(?!\\d)|\\s*$)`,
      'giu',
    ),
    isSecret: (value) => {
      const [word = ''] = value.split(' ');
      return !state.test(word) && !prose.test(word) && !counted.test(word);
    },
  },
  {
    // A passphrase: `pass phrase for the ssh key = seven green apples`
    hint: 'phrase|mnemonic|seed|mot de passe|geheimsatz|wachtzin',
    shape: new RegExp(
      `(?<before>\\b(?:pass[ _-]?phrase|(?:recovery|seed|secret|backup|wallet|mnemonic)[ _-]?(?:phrase|seed|words)|mnemonic|wachtzin|geheimsatz)(?: ?\\([^()\\n]{1,40}\\))?(?:,? (?:for|of|to|van|voor|für|von|de|du|pour)(?: [^\\s:="]{1,40}){1,5}?)?["']?(?: ?(?:=>|[:=]) ?| (?:${is}) )${mark})[^\\s"'<>:=;,(){}\\\\]+(?: [^\\s"'<>:=;,(){}\\\\]+){1,30}`,
      'gi',
    ),
    isSecret: (value) => !readsAsSentence(value),
  },
  {
    // `api key for … = …`, `the token is …`
    hint: 'key|token|secret|licen|credential|code|signat|clave|jeton|salt|hmac',
    begins: [keyNames, secretNames],
    shape: keyed(`${keys}|${credentialNames}`),
    isSecret: isKey,
  },
  {
    // `api sleutel van … = …`, `Der API-Schlüssel ist …`, `La clé API est …`
    hint: 'sleutel|schlüssel|schluessel|clé|cle |cle:|chiave|clave|chave|klucz|nyckel|nøgle|noegle|nøkkel|klíč|kulcs|anahtar|ключ|geheim|seed|otp_|2fa_|mfa_|otp secret|2fa secret|mfa secret|otp-s|2fa-s|mfa-s',
    shape: keyed(foreign),
    isSecret: isKey,
  },
  {
    // `admin / Welkom01!`, `creds for staging: admin / …`, `login attempt [root/…]`
    hint: 'admin|root|beheer|creds|basic auth|inlog|logindata|identifiants|acceso',
    shape: new RegExp(
      `(?<before>(?:(?<![\\w/.@-])(?:admin|administrator|root|beheer(?:der)?|wpadmin|demo|test) / |\\[(?:admin|administrator|root|[\\w.-]{2,20})/(?=[^\\s/\\]]{4,40}\\]))|(?:\\b(?:creds?|credentials?|basic[ -]auth|inlog(?:gegevens)?|login(?:s|data|gegevens)?|zugangsdaten|identifiants|accesos?|toegang)\\b(?: [^\\s:=/]{1,30}){0,4}? ?[:=] ?|\\bbasic[ -]auth :)(?:(?:user|gebruiker|benutzer)[ :=]{1,2})?[\\w.@+-]{1,40} ?(?:/|\\|) ?(?=\\S))[^\\s"'\\\\\\][(){}]{3,60}`,
      'gi',
    ),
    isSecret: (value, before) =>
      /^\[|(?:^|\W)(?:admin|administrator|root|beheer(?:der)?|wpadmin|demo|test) \/ $/i.test(before) &&
      !/[:=]/.test(before)
        ? looksLikeValue(value)
        : !isTelling(value) && !isPlace(value) && !/^\d+$|\//.test(value) && !state.test(value) && !prose.test(value),
  },
];

/** A count, not a password: `password attempts 3` */
const counted =
  /^(?:attempts?|length|failures?|retries|age|error|code|status|level|version|count|days?|hours?|minutes?|min|max|minimum|maximum|policy|id|user|line|field|step|page|reset|changes?|history|score|strength|versuche?|fehler|pogingen?|tekens|zeichen|caracter(?:e|es)?s?|reset-mail|hash(?:es)?|rounds?|cost)$/i;

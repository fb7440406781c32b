import type { Rule } from './rule.ts';

/** Codes for one login, as they are sent to whoever logs in. */

/** What such a code is called, in the languages that sites are written in. */
const joined =
  '(?:sms|login|log-in|security|verification|confirmation|recovery|backup|activation|registration|invitation|purchase|auth|authentication|authenticator|access|2fa|mfa|two-factor|one-time|otp|totp|unlock|sicherheits|bestätigungs|verifizierungs|einmal|zugangs|anmelde|aktivierungs|freischalt|bevestigings|beveiligings|verificatie|inlog|eenmalige|toegangs|activerings|activatie|herstel|aanmeld|bekræftelses|bekreftelses|verifiserings|verifikations|verifierings|engangs|engångs|säkerhets|sikkerheds|sikkerhets|vahvistus|kertakäyttö)[ _-]?(?:pass)?(?:codes?|koder?|kod|koodi|pin|tan)';
const apart = [
  "codes? (?:de |d['’])(?:vérification|verification|confirmation|sécurité|validation|activation|connexion|accès|récupération)",
  'c[óo]digos? de (?:verificaci[óo]n|confirmaci[óo]n|seguridad|acceso|activaci[óo]n|verifica[çc][ãa]o|confirma[çc][ãa]o|segurança|acesso|ativação)',
  'codic[ei] di (?:verifica|conferma|sicurezza|accesso|attivazione)',
  'kod (?:weryfikacyjny|potwierdzający|aktywacyjny|dostępu|autoryzacyjny)|(?:ověřovací|potvrzovací|overovací) k[óo]d|(?:doğrulama|onay) kodu|код (?:подтверждения|доступа|проверки)',
];
const whose = '(?:your|ihr|dein|uw|je|jouw|votre|ton|tu|su|il tuo|din|ditt)';
const hint = 'code|tan:|tan |2fa|pin|otp|one-time|einmal|código|codigo|codice|codici|kod|koodi|kód|код';

export const codes: readonly Rule[] = [
  {
    // `SMS code for login: …`, `backup codes for user 3: … …`
    hint,
    shape: new RegExp(
      `(?<before>\\b(?:${joined}(?: (?:for|of|für|von|voor|to|is|are|ist|lautet|was|sent|used|entered) ?[^\\n:;=]{0,40}?)?|(?:${apart.join('|')})(?: (?:est|es|è|é|to))?|${whose} (?:codes?|pin|tan)(?: (?:is|ist|lautet|est|es|è|é|är|er))?|\\b(?:enter|use|type) (?:this|the) code|(?:2fa|mfa|totp) (?:token|code)|\\bm?tan)(?: ?[:=] ?| {1,3})["']?)(?:\\d{4,8}(?=,? [a-z]+\\b(?![ -]{0,2}\\d))|[\\da-z]{4,10}(?:(?: |-|, )[\\da-z]{4,10}){1,31}(?![\\w-])|\\d{3}[ -]\\d{3,4}(?![\\w-])|\\d{4,10}(?!\\w|[.:]\\d)(?:,? \\d{4,10}(?!\\w)){0,20})`,
      'gi',
    ),
    isSecret: (value) =>
      value.split(/[ ,-]+/).filter((group) => /\d/.test(group)).length * 2 >= value.split(/[ ,-]+/).length,
  },
  {
    // `Use … to verify your account`
    hint: 'use ',
    shape:
      /(?<before>\buse (?:code |the code )?)(?:\d{4,8}|\d{3}[ -]\d{3})(?= (?:to|as) (?:verify|log|sign|confirm|complete|reset|your|activate))/gi,
  },
  {
    // `… is your verification code`
    hint,
    shape: new RegExp(
      `(?<before>)(?<![\\w.:-](?<!\\b[A-Z]-))(?:\\d{4,8}|\\d{3}[ -]\\d{3})(?= (?:is|ist|est|es|è|é|är|er) ${whose} [^\\n.:]{0,40}(?:code|otp|pin|código|codice|kode?\\b))`,
      'gi',
    ),
  },
];

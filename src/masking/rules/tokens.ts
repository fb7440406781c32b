import { asciiTable, codesOf, runIn } from '../prefilter.ts';
import { publicKeysAside } from './keys.ts';
import { begins, type MaskingRule } from '../rule.ts';

/**
 * Tokens of services, recognised by their shape. Beginnings and lengths are facts from the services' documentation and
 * programs and from the rules of gitleaks, trufflehog, Nosey Parker and secretlint (see docs/dependencies.md). The
 * expressions are written for a backtracking engine, and wider, since a miss is worse than a false mask.
 */

/**
 * Only words with this many letters, digits, `_` and `-` in a row are checked for all kinds; few log lines have one. A
 * kind whose tokens may have shorter runs, for example base64, also has hint words, of which every token contains one;
 * otherwise some tokens would stay readable.
 */
const run = 20;

/** How each kind begins, what follows, and its words (see `hint`), unless it always has a run. */
const prefixed: readonly (readonly [prefix: string, rest: string, hint?: string])[] = [
  // Our own callers; code and packages
  ['shk_', '[\\w-]{43}'],
  ['gh[oprsu]_', '\\w{16,}'],
  ['github_pat_', '\\w{16,}'],
  [
    'gl(?:agent|cbt|dt|ffct|ft|imt|oas|pat|ptt|rt|soat)-',
    '[\\w.-]{20,}',
    'glagent-|glcbt-|gldt-|glffct-|glft-|glimt-|gloas-|glpat-|glptt-|glrt-|glsoat-',
  ],
  ['GR1348941', '[\\w-]{20,}'],
  ['ATB[A-Z]', '[\\w=]{20,}', 'atb'],
  ['AT[AC]TT3', '[\\w=.-]{30,}', 'atatt3|atctt3'],
  ['npm_', '[A-Za-z0-9]{36}'],
  ['pypi-', '[\\w-]{50,}'],
  ['rubygems_', '[a-f0-9]{48}'],
  ['dckr_[op]at_', '[\\w-]{20,}'],
  ['AKCp', '[A-Za-z0-9]{60,}'],
  ['cmVmd', '[A-Za-z0-9]{59}'],
  ['sq[apu]_', '[a-f0-9]{40}'],
  ['phx_', '[A-Za-z0-9]{40,}'],
  ['tskey-(?:api|auth|client)-', '[\\w-]{20,}'],
  ['sntry[su]_', '[\\w+/=]{40,}', 'sntrys_|sntryu_'],
  ['lin_(?:api|oauth)_', '\\w{32,}'],
  ['ntn_', '\\w{40,}'],
  ['secret_', '[A-Za-z0-9]{43}(?![A-Za-z0-9])'],
  ['fig[dou]_', '[\\w-]{40,}'],
  ['PMAK-', '[a-f0-9]{24}-[a-f0-9]{34}'],
  ['pat', '[A-Za-z0-9]{14}\\.[a-f0-9]{64}'],
  ['pat-[a-z]{2}\\d-', '[a-f0-9]{8}-[a-f0-9-]{27}'],
  ['CFPAT-', '[\\w-]{40,}'],
  ['rdme_', '[a-z0-9]{70}'],
  ['tfp_', '[\\w.=-]{50,}', 'tfp_'],
  ['[A-Za-z0-9]{76}A(?:COG|ZDO)', '[A-Za-z0-9]{4}(?![A-Za-z0-9])'],
  ['cio(?:_tp_)?', '[A-Za-z0-9]{32}(?!\\w)'],
  ['oy2', '[a-z0-9]{43}(?!\\w)'],
  ['packagist_[a-z]{3}_', '[a-f0-9]{60,}'],
  ['CLOJARS_', '[a-f0-9]{60}'],
  ['CCIP(?:AT|RJ)_', '\\w{40,}'],
  ['bk(?:a[ajrt]|cq?t|jat|p(?:at|s|t)|rt|t[rx]|u[ar])_', '(?:[\\w-]+\\.){0,2}[\\w-]{38,}'],
  ['sgp_', '\\w{40,}'],
  ['BBDC-', '[\\w+/@-]{40,}', 'bbdc-'],
  ['API-', '[A-Z0-9]{26,34}(?![\\w-])'],
  ['[ps]at\\.', '[\\w-]{22}\\.[A-Za-z0-9]{24}\\.[A-Za-z0-9]{20}'],
  ['(?<!-)(?:api|sdk)-', '[a-f0-9]{8}(?:-[a-f0-9]{4}){3}-[a-f0-9]{12}(?![\\w-])'],
  ['1000\\.', '[a-f0-9]{32}\\.[a-f0-9]{32}'],
  ['[012]/', '(?:\\d{13,20}/)?\\d{13,20}:[a-f0-9]{32}'],
  ['[st]k\\.eyJ', '[\\w-]{17,}\\.[\\w.-]{20,}'],
  // Clouds and hosts
  ['[\\w~.]{3}\\dQ~', '[\\w~.-]{31,34}', 'q~'],
  ['[A-Za-z0-9]{14}\\.atlasv1\\.', '[\\w=-]{60,}', 'atlasv1'],
  ['A(?:3T[A-Z0-9]|BIA|CCA|KIA|SIA)', '[A-Z0-9]{16}(?![A-Za-z0-9])'],
  ['ABSK', '[A-Za-z0-9+/]{100,}={0,2}', 'absk'],
  ['bedrock-api-key-', '[\\w+/=]{20,}', 'bedrock-api-key-'],
  ['AIza', '[\\w-]{35}'],
  ['ya29\\.', '[\\w.-]{20,}', 'ya29\\.'],
  ['GOCSPX-', '[\\w-]{20,}'],
  ['1//0', '[\\w-]{30,}'],
  ['4/0A', '[\\w-]{20,}'],
  ['LTAI', '[A-Za-z0-9]{16,24}(?![A-Za-z0-9])'],
  ['AKID', '[A-Za-z0-9]{32}(?![A-Za-z0-9])'],
  ['do[opr]_v1_', '[a-f0-9]{64}'],
  ['HRKU-', '[\\w-]{36,}'],
  ['dapi', '[a-f0-9]{32}'],
  ['dt0[a-z]\\d\\d\\.', '[A-Za-z0-9]{24}\\.[A-Za-z0-9]{64}'],
  ['hv[bsr]\\.', '[\\w-]{24,}'],
  ['dp\\.(?:audit|ct|pt|scim|sa|st)\\.', '[\\w.-]{40,}', 'dp\\.a|dp\\.c|dp\\.p|dp\\.s'],
  ['f(?:m1[ar]|m2|o1)_', '[\\w+/=,-]{40,}', 'fm1a_|fm1r_|fm2_|fo1_'],
  ['pul-', '[a-f0-9]{40}'],
  ['pscale_(?:oauth|pw|tkn)_', '[\\w=.-]{32,}', 'pscale_'],
  ['pnu_', '[A-Za-z0-9]{36}'],
  ['sbp_', '[a-f0-9]{40}'],
  ['sb_secret_', '[\\w-]{20,}'],
  ['nfp_', '[A-Za-z0-9]{36,}'],
  ['vercel_blob_rw_', '\\w{20,}'],
  ['v1\\.0-', '[a-f0-9]{24}-[a-f0-9]{146}'],
  ['gl(?:c|sa)_', '[\\w+/=]{32,}', 'glc_|glsa_'],
  ['NR(?:AA|AK|II|IQ|RA)-', '[\\w-]{27,}'],
  ['ops_eyJ', '[\\w+/-]{100,}={0,2}', 'ops_eyj'],
  ['A3-[A-Z0-9]{6}-', '[A-Z0-9-]{26,}'],
  ['AGE-SECRET-KEY-1', '[A-Z0-9]{50,}'],
  ['sha256~', '[\\w-]{43}'],
  ['cf(?:[au]t|k)_', '[A-Za-z0-9]{40,}'],
  ['vc[aikpr]_', '[A-Za-z0-9]{24,}(?!\\w)'],
  ['dd[pw]_', '[A-Za-z0-9]{36}(?!\\w)'],
  ['da2-', '[a-z0-9]{26}(?![\\w-])'],
  ['hc[a-z]i[ck]_', '[a-z0-9]{58}'],
  ['xa[ap]t-', '[a-f0-9]{8}(?:-[a-f0-9]{4}){3}-[a-f0-9]{12}(?![\\w-])'],
  ['AstraCS:', '[A-Za-z]{24}:\\w{64}'],
  ['0\\.[a-f0-9]{8}(?:-[a-f0-9]{4}){3}-[a-f0-9]{12}\\.', '[A-Za-z0-9]{30}:[A-Za-z0-9+/]{22}=='],
  ['secret-(?:live|test)-', '[\\w-]{30,}={0,2}'],
  ['apify_api_', '[A-Za-z0-9]{36}'],
  // AI models
  ['sk-(?:admin|ant|lf|or|proj|svcacct)-', '[\\w-]{20,}'],
  ['sk-', '[A-Za-z0-9]{32,}'],
  ['hf_', '[A-Za-z0-9]{30,}'],
  ['gsk_', '[A-Za-z0-9]{40,}'],
  ['pplx-', '[A-Za-z0-9]{40,}'],
  ['(?:nvapi|tvly|jina|lsv2|pcsk)[-_]', '[\\w-]{30,}'],
  ['xai-', '[A-Za-z0-9]{60,}'],
  ['r8_', '[A-Za-z0-9]{36,}'],
  // Shops and payments
  ['[rs]k_(?:live|prod|test)_', '\\w{12,}'],
  ['shp(?:at|ca|pa|ss|ua)_', '[A-Fa-f0-9]{32}'],
  ['EAAA', '[\\w-]{56,}'],
  ['sq0(?:atp|csp)-', '[\\w-]{22,}'],
  ['access_token(?:\\$|%24)(?:production|sandbox)(?:\\$|%24)', '[a-z0-9]{16}(?:\\$|%24)[a-f0-9]{32}'],
  ['A21AA', '[\\w-]{50,}'],
  ['pdl_(?:ntfset|(?:live|sdbx)_apikey)_', '\\w{30,}'],
  ['shippo_(?:live|test)_', '[A-Fa-f0-9]{40}'],
  ['FLWSECK', '[\\w-]{13,}'],
  ['EZ[AT]K', '[A-Za-z0-9]{54}'],
  ['access-(?:development|production|sandbox)-', '[a-f0-9]{8}-[a-f0-9-]{27}'],
  ['c[ks]_', '[a-f0-9]{40}'],
  ['(?:access|refresh)_', '[A-Za-z0-9]{36,}'],
  ['sk_(?:sbox_)?', '[a-z0-9]{22,}(?![A-Za-z0-9])'],
  ['(?<!pk_)(?:live|test)_', '[A-Za-z0-9]{30,}(?![\\w-])'],
  ['APP_USR-', '[\\w-]{40,}'],
  ['TEST-\\d{12,}-', '[\\w-]{30,}'],
  ['AQE', '[\\w+/-]{60,}={0,2}', 'aqe'],
  ['Atz[ar](?:\\||%7C)', '[\\w-]{40,}'],
  ['amzn1\\.oa2-cs\\.v\\d\\.', '[a-f0-9]{64}'],
  [
    'v(?:\\^|%5E)1\\.1(?:#|%23)(?:[A-Za-z](?:\\^|%5E)\\d{1,3}(?:#|%23)){1,8}',
    '(?:[A-Za-z](?:\\^|%5E))?[\\w+/-]{40,}={0,2}',
    'v\\^1|v%5e1',
  ],
  ['(?:PRD|SBX)-', '[a-f0-9]{12}(?:-[a-f0-9]{4}){4}'],
  ['wc_order_', '[A-Za-z0-9]{13,}'],
  ['klarna_(?:live|test)_api_', '[\\w+/=*-]{20,}', 'klarna_'],
  ['(?:live|sandbox)_', '(?=[\\w-]*\\d)[\\w-]{40}(?![\\w-])'],
  ['polar_(?!ci_)[a-z]{2,3}_', '[A-Za-z0-9]{37,}'],
  // Messages
  ['xox[a-z]-', '[\\w.-]{15,}', 'xox'],
  ['0x4A{4,}', '[\\w-]{20,}'],
  ['(?:0x|ES_)', '[\\dA-F]{40}(?!\\w)'],
  ['sl\\.(?:u\\.)?', '[\\w-]{60,}'],
  ['K00\\d', '[A-Za-z0-9+/]{27}(?!\\w)', 'k00'],
  ['def00000', '[\\da-f]{128}'],
  ['xoxe\\.', '[\\w-]{20,}'],
  ['xapp-', '[\\w-]{15,}'],
  ['SG\\.', '[\\w-]{20,}\\.[\\w-]{20,}'],
  ['SK|AC', '[a-f0-9]{32}(?![A-Za-z0-9])'],
  ['mlsn\\.', '[a-f0-9]{64}'],
  ['pk_', '[a-f0-9]{34}(?![A-Za-z0-9])'],
  ['key-', '[a-z0-9]{32}(?![A-Za-z0-9])'],
  ['md-', '[A-Za-z0-9_-]{22}(?![\\w-])'],
  ['x(?:key|smtp)sib-', '[a-f0-9]{64}-\\w{16,}'],
  ['re_', '[A-Za-z0-9]{8}_[A-Za-z0-9]{24}'],
  ['EAA', '[A-Za-z0-9]{80,}'],
  ['whsec_', '[\\w+/=]{16,}', 'whsec_'],
  ['A{22}', '[\\w%]{60,}'],
  ['duffel_(?:live|test)_', '[\\w=-]{40,}', 'duffel_'],
  ['fio-u-', '[\\w=-]{60,}', 'fio-u-'],
  ['IG[A-Z]{2,3}', '[\\w-]{80,}'],
  ['AAAA[\\w-]{7}:', '[\\w-]{100,}'],
  ['os_v2_app_', '[a-z0-9]{60,}'],
  ['CfDJ8', '[\\w-]{40,}'],
  ['00D', '[A-Za-z0-9]{12,15}![\\w.]{40,}', '00d'],
  ['sk', '[A-Za-z0-9]{140,}(?![A-Za-z0-9])'],
  ['stamp[A-Z]{2}\\d{3}\\.', '[\\w-]{60,}'],
];

/** Tokens recognised by something other than their prefix; each has a run. */
const beside: readonly string[] = [
  `(?<![\\w-](?<!%[0-9A-Fa-f]{2}|\\\\[nrt])|(?<!\\w)pk\\.)eyJ[\\w-]{17,}\\.(?:eyJ[\\w-]{8,}|[\\w-]{8,}\\.|\\.)[\\w.-]*`,
  `${begins}[MNO][\\w-]{22,27}\\.[\\w-]{6,7}\\.[\\w-]{27,}`,
  `${begins}(?:bot)?\\d{8,10}:AA[\\w-]{32,}`,
  `${begins}[a-f0-9]{32}-us\\d{1,2}(?!\\w)`,
  `${begins}[a-f0-9]{32}-[a-f0-9]{8}-[a-f0-9]{8}(?![\\w-])`,
  `${begins}s\\.(?=[A-Za-z]{0,23}\\d)[A-Za-z0-9]{24}(?![\\w.])`,
  `${begins}(?:[a-z]{2}\\d\\d)?[\\da-fx]{30,40}NRAL(?!\\w)`,
  `${begins}[A-Za-z0-9]{6}_[A-Za-z0-9]{29}_mmk(?!\\w)`,
  // Cookies of WordPress and WooCommerce
  `(?<![\\w.@-])[\\w.@-]{1,60}(?:\\||%7C)\\d{10}(?:\\||%7C)[A-Za-z0-9]{40,45}(?:\\||%7C)[a-f0-9]{64}(?!\\w)`,
  `(?<![\\w-])[\\w-]{1,40}(?:\\|\\||%7C%7C)\\d{10}(?:\\|\\||%7C%7C)\\d{10}(?:\\|\\||%7C%7C)[a-f0-9]{32}(?!\\w)`,
];

/**
 * Web addresses that work as credentials, because anyone who knows one can post to it: the text before the token, the
 * token, and hint words for both.
 */
const addresses: readonly (readonly [before: string, rest: string, hint: string])[] = [
  ['hooks\\.slack\\.com/(?:services|triggers|workflows)/', '[\\w/+-]{20,}', 'hooks\\.slack'],
  ['discord(?:app)?\\.com/api/(?:v\\d{1,2}/)?webhooks/', '\\d{5,}/[\\w-]{30,}', '/webhook'],
  ['(?:\\.webhook|outlook)\\.office(?:365)?\\.com\\\\?/webhook(?:b2)?\\\\?/', '(?:[\\w@-]|\\\\?/){40,}', '/webhook'],
  ['hooks\\.zapier\\.com/hooks/(?:catch|standard)/\\d{1,12}/', '\\w{5,}', 'zapier'],
  ['hook\\.(?:[a-z\\d]{2,4}\\.)?(?:make|integromat)\\.com/', '\\w{20,}', 'make\\.com|integromat'],
  ['connect\\.pabbly\\.com/workflow/sendwebhookdata/', '[\\w%=-]{20,}', 'sendwebhookdata'],
  [
    '/(?:webhook|webhooks|webhook-test|hooks)/',
    '(?:[a-f\\d]{8}-[a-f\\d]{4}-[a-f\\d-]{22}|[a-z\\d]{26})(?![\\w-])',
    '/webhook|/hooks/',
  ],
  ['maker\\.ifttt\\.com/trigger/[\\w-]{1,60}/(?:json/)?with/key/', '[\\w-]{20,}', 'ifttt'],
  ['hc-ping\\.com/', '[\\w-]{22,}', 'hc-ping'],
  ['/deploy/', 'prj_\\w{10,}(?:/\\w{6,})?', '/deploy/'],
  ['/build_hooks/', '[a-f\\d]{24}(?!\\w)', '/build_hooks/'],
  ['/deploy_hooks/', '[a-f\\d]{8}-[a-f\\d]{4}-[a-f\\d-]{22}(?![\\w-])', '/deploy_hooks/'],
  ['betterstack\\.com/api/v1/heartbeat/', '\\w{16,}', 'betterstack'],
];

const anyOf = (kinds: typeof prefixed): string =>
  `${begins}(?:${kinds.map(([prefix, rest]) => `(?:${prefix})${rest}`).join('|')})`;
const addressed = addresses.map(([before, rest, hint]) => ({ hint, source: `(?<before>${before})${rest}` }));

/** Tokens without a run, hashed passwords in databases, and tokens recognised although short or cut. */
export const hinted: readonly MaskingRule[] = [
  {
    hint: prefixed.flatMap(([, , hint]) => hint ?? []).join('|'),
    shape: new RegExp(anyOf(prefixed.filter(([, , hint]) => hint !== undefined)), 'g'),
    // The prefix identifies it, even if it has dots and looks like a name in code.
    shown: () => '***',
  },
  ...addressed.map(({ hint, source }) => ({ hint, shape: new RegExp(source, 'g') })),
  // Some names before a host are public, for example Sentry's, which every browser sees.
  {
    hint: '@',
    shape:
      /(?<=:\/\/)[A-Za-z\d_-]{20,}(?=(?::[^\s/:@"'<>]{20,100})?@(?!o\d{1,12}\.ingest\.(?<!dsn[^\s]{0,12}[\s:="']{1,4}https?:\/\/\w{20,40}@o\d{1,12}\.ingest\.)))/gi,
  },
  { hint: 'akismet', shape: /(?<=\/\/)[\da-f]{12}(?=\.rest\.akismet\.com)/g },
  {
    hint: '\\{sha|\\{ssha|\\{smd5|\\{md5|\\{crypt',
    shape: /\{(?:S?SHA\d{0,3}|S?MD5|CRYPT)\}[\w+/=$.]{16,}/gi,
  },
  { hint: '/cpsess', shape: /(?<=\/cpsess)\d{6,}/g },
  {
    hint: 'eyJhbGciOi|eyJ0eXAiOi|eyJraWQiOi',
    shape: /(?<![\w-](?<!%[\dA-Fa-f]{2}|\\[nrt]))eyJ(?:hbGciOi|0eXAiOi|raWQiOi)[\w.-]*/g,
  },
  // PHP cuts long arguments. These prefixes are rare enough to identify a token.
  {
    hint: "\\.\\.\\.'",
    shape:
      /(?<=')(?:[rs]k_(?:live|test)_|gh[oprsu]_|github_pat_|glpat-|xox[abeoprs]-|xapp-|SG\.|A[KS]IA[A-Z\d]|AIza|ya29\.|GOCSPX-|shp(?:at|ca|pa|ss)_|whsec_|hvs\.|npm_|sk-(?:ant-|proj-)?|do[opr]_v1_|c[ks]_[\da-f]|xkeysib-|EAA[A-Z]|Bearer |Basic )[^'\n"\\]{0,60}(?=\.\.\.')/g,
  },
  {
    hint: '\\$y\\$|\\$7\\$|\\$gy\\$|\\$scrypt|\\$pbkdf2|pbkdf2_|pbkdf2:|scrypt:|\\$p\\$|\\$wp\\$|\\$2a|\\$2b|\\$2x|\\$2y|\\$argon2|\\$generic|\\$apr1|\\$h\\$|\\$s\\$|\\$1\\$|\\$5\\$|\\$6\\$',
    shape:
      /\$P\$[./A-Za-z0-9]{31}|\$(?:wp\$)?2[abxy]\$\d\d\$[./A-Za-z0-9]{53}|\$argon2(?:d|id?)\$[\w$=,+/.-]{20,}|\$generic\$[\w-]{20,}|\$apr1\$[./A-Za-z0-9]{1,16}\$[./A-Za-z0-9]{22}|\$[HS]\$[./A-Za-z0-9]{31,52}|\$[156]\$(?:rounds=\d{1,9}\$)?[./A-Za-z0-9]{4,16}\$[./+A-Za-z0-9]{22,}|\$(?:g?y|7|scrypt|pbkdf2[\w-]{0,12})\$[\w$=,+/.-]{30,}|\b(?:pbkdf2_sha\d{1,3}\$|pbkdf2:sha\d{1,3}:|scrypt:)[\w$:=,+/.-]{30,}/g,
  },
];

const others = [...beside, ...addressed.map(({ source }) => source)];
/** Any token in a word with a run. A token-like part inside a longer token is not matched on its own. */
export const runningToken = new RegExp([anyOf(prefixed), ...others].join('|'), 'g');

/** The shape of each kind by itself. */
export const tokens: readonly RegExp[] = [...prefixed.map((kind) => anyOf([kind])), ...others].map(
  (source) => new RegExp(source),
);

const ofRun = asciiTable(/[\w-]/);
/** The characters of a word around a token; neither a token nor its required prefix contains any other character. */
const ofWord = asciiTable(/[^\s"'<>\0-\x1F]/);

/** Masks every token in a word with a run. */
export function maskTokens(text: string, codes: Uint8Array): string {
  const end = text.length;
  let left = '';
  let kept = 0;
  for (let at = runIn(codes, end, ofRun, run); at !== -1; at = runIn(codes, end, ofRun, run, kept)) {
    let from = at;
    let to = at + run;
    while (from > kept && isWithin(text, codes, from - 1)) from -= 1;
    while (to < end && isWithin(text, codes, to)) to += 1;
    left += text.slice(kept, from) + text.slice(from, to).replace(runningToken, '$<before>***');
    kept = to;
  }
  return kept === 0 ? text : left + text.slice(kept);
}

/** Whether the text has any token, with or without a run. A public key has none. */
export function holdsToken(text: string): boolean {
  const { rest } = publicKeysAside(text);
  return maskTokens(rest, codesOf(rest)) !== rest || hinted.some(({ shape }) => rest.search(shape) !== -1);
}

const isWithin = (text: string, codes: Uint8Array, at: number): boolean =>
  ofWord[codes[at] ?? 0] === 1 || text.charCodeAt(at) > 127;

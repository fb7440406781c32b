import { readFile } from 'node:fs/promises';
import { beforeAll, describe, expect, test } from 'vitest';
import { loadPolicy, maxPolicyBytes } from '../../src/policy/load.ts';
import { loadMatcher } from '../../src/policy/reason-match.ts';
import { PolicyMistakes } from '../../src/policy/yaml-document.ts';
import { decideAccess } from '../../src/policy/policy.ts';
import { ana, catalogue, chi, company, domain, GROUPS, mistakesOf, policyOf, rob, to, withRules } from './fixtures.ts';

const ok = 'version: 1\nrules: []\n';
const rule = (text: string) => withRules(text);
const UUID = '00000000-0000-4000-8000-00000000000f';
const reasoned = (reason: string) => `{ allow: [push], to: [leads], approval: { by: [leads], reason: ${reason} } }`;
/** The line of the first rule in a text from `withRules`. */
const FIRST_RULE = 8;

beforeAll(loadMatcher);

describe('every mistake is reported with its line', () => {
  test.each<[string, string, string[]]>([
    ['nothing', '', ['line 1: expected version, groups and rules, found nothing']],
    ['a list', '- a', ['line 1: expected version, groups and rules, found a list']],
    [
      'neither version nor rules',
      'live: ["*/live"]',
      ['line 1: "version" is missing: the number 1', 'line 1: "rules" is missing: a list of rules'],
    ],
    ['another version', 'version: 2\nrules: []', ['line 1: expected the number 1, found 2']],
    ['a version as text', 'version: "1"\nrules: []', ['line 1: expected the number 1, found "1"']],
    ['an unknown key', `${ok}rulez: []`, ['line 3: unknown key "rulez"; did you mean "rules"?']],
    [
      'a planned key',
      `${ok}night: x\ndelegates: x`,
      ['line 3: "night" is not supported yet', 'line 4: "delegates" is not supported yet'],
    ],
    [
      'keys that JavaScript would lose',
      `${ok}groups: { __proto__: [U111] }\npeople: { __proto__: [U111] }`,
      ['line 3: "__proto__" cannot be a key', 'line 4: "__proto__" cannot be a key'],
    ],
    [
      'groups with names of JavaScript object properties',
      `${ok}groups: { constructor: [U111], valueOf: [] }`,
      ['line 3: "valueOf" cannot name a group; use small letters a to z, digits, - and _, 40 at most'],
    ],
    [
      'a merge key',
      `${ok}groups: &a { b: [] }\nchannels: { <<: *a }\npeople: { "<<": *a }`,
      [
        'line 4: "<<" is not supported; write out the keys that it would bring',
        'line 5: "<<" is not supported; write out the keys that it would bring',
      ],
    ],
    [
      'aliases in lists and as keys',
      `${ok}groups:\n  a: [&a U111]\n  b: [*a]\nenvironments: { ? *a : {} }`,
      [
        'line 5: aliases (*name) are not supported here; write the value out',
        'line 6: a key cannot be an alias (*name); write it out, or put it in quotes',
      ],
    ],
    [
      'persons whose names are not text',
      `${ok}live: [&k a/b]\npeople:\n  *k : [U111]\n  ? [a, b]\n  : [U112]\n  ? { a: b }\n  : [U113]\n  : [U114]\n  null: [U115]\n  012: [U116]\n  true: [U117]`,
      [
        'line 5: a key cannot be an alias (*name); write it out, or put it in quotes',
        'line 6: a list cannot be a key; a key is text',
        'line 8: a mapping cannot be a key; a key is text',
        'line 10: a key is missing here',
        'line 11: a key is text; put this one in quotes: "null"',
        'line 12: a key is text; put this one in quotes: "012"',
        'line 13: a key is text; put this one in quotes: "true"',
      ],
    ],
    [
      'keys that are not text at the top, in a rule and in a list',
      `version: 1\n~: x\nrules:\n  - { allow: [read], to: everyone, 1: x }\ngroups: { a: [: U111] }`,
      [
        'line 2: a key is text; put this one in quotes: "~"',
        'line 4: a key is text; put this one in quotes: "1"',
        'line 5: a key is missing here',
        'line 5: expected a Slack id, found a mapping',
      ],
    ],
    [
      'sets',
      `${ok}sets:\n  Care Plan: [a/b]\n  none: []\n  a: [acme, "domain:a.com", company, "**/b"]\n  b: x\nset: {}`,
      [
        'line 4: "Care Plan" cannot name a set; use small letters a to z, digits, - and _, 40 at most',
        'line 5: this list is empty; expected environments, like ["acme-*/live"]',
        'line 6: "acme" is not a target: expected site/environment, domain:example.com or company',
        'line 6: "domain:a.com" is not an environment; expected site/environment',
        'line 6: "company" is not an environment; expected site/environment',
        'line 6: "**/b" is not a target: the only wildcard is a single *',
        'line 7: expected a list of environments, like ["acme-*/live"], found "x"',
        'line 8: unknown key "set"; did you mean "sets"?',
      ],
    ],
    [
      'a set with too many entries',
      `${ok}sets: { a: [${'a/b, '.repeat(201)}] }`,
      ['line 3: a set has at most 200 entries'],
    ],
    [
      'targets without quotes',
      rule('{ deny: [read], to: everyone, where: [*/live, *-shop/*, b/*] }'),
      [
        `line ${FIRST_RULE}: '*/live' begins with * and needs quotes: "*/live"`,
        `line ${FIRST_RULE}: '*-shop/*' begins with * and needs quotes: "*-shop/*"`,
      ],
    ],
    ['live without quotes', `${ok}live: */live`, [`line 3: '*/live' begins with * and needs quotes: "*/live"`]],
    [
      'stars without quotes',
      `${ok}channels:\n  C0ACME:\n    sites:\n      - *\n  C0B: { sites: [*] }`,
      [
        'line 6: text that begins with * needs quotes, like "*/live"',
        'line 7: text that begins with * needs quotes, like "*/live"',
      ],
    ],
    [
      'a key that begins with a star',
      `${ok}people: { *k: [U111] }`,
      ['line 3: text that begins with * needs quotes, like "*/live"'],
    ],
    ['an anchor without a name', `${ok}people: & {}`, ['line 3: this is not YAML: Anchor cannot be an empty string']],
    [
      'another version of YAML',
      `%YAML 1.1\n---\n${ok}`,
      ['line 1: no directive but %YAML 1.2 is supported here; leave this line out'],
    ],
    [
      'two versions of YAML',
      `# why\n%YAML\t1.1 # not?\n%YAML 1.2\n---\n${ok}`,
      ['line 2: no directive but %YAML 1.2 is supported here; leave this line out'],
    ],
    [
      'a later version of YAML, and another directive',
      `%YAML 1.3\n%FOO bar\n---\n${ok}`,
      [
        'line 1: no directive but %YAML 1.2 is supported here; leave this line out',
        'line 2: no directive but %YAML 1.2 is supported here; leave this line out',
      ],
    ],
    [
      'characters that cannot be seen, and other spaces',
      `${rule('{ allow: [read\u00a0], to: [leads\u200b, "leads\\t", "👩‍💻"], where\u2060: [a/b] }')}live\u3000: &\u200b [a/b]`,
      [
        'line 8: unknown command or class "read⟨U+00A0⟩"; did you mean "read"?',
        'line 8: unknown group "leads⟨U+200B⟩"; did you mean "leads"?',
        'line 8: unknown group "leads\\t"; did you mean "leads"?',
        'line 8: unknown group "👩‍💻"',
        'line 8: unknown key "where⟨U+2060⟩"; did you mean "where"?',
        'line 9: unknown key "live⟨U+3000⟩"; did you mean "live"?',
      ],
    ],
    [
      'a value below its key',
      `${ok}groups:\n\n  - a`,
      ['line 3: expected names of groups, each with a list of Slack ids, found a list'],
    ],
    ['a duplicate key', `${ok}groups: {}\ngroups: {}`, ['line 4: "groups" is listed twice']],
    ['a duplicate group', `${ok}groups:\n  a: [U111]\n  a: [U112]`, ['line 5: "a" is listed twice']],
    ['two documents', `${ok}---\n${ok}`, ['line 3: a second document begins here; only one is allowed']],
    ['a tab', 'version: 1\nrules:\n\t- x', ['line 3: tabs cannot be used to indent; use spaces']],
    [
      'a list without an end',
      'version: 1\nrules: [\n',
      ['line 3: this is not YAML: Flow sequence in block collection must be sufficiently indented and end with a ]'],
    ],
    [
      'an alias',
      `${ok}groups: &a {}\npeople: *a`,
      ['line 4: aliases (*name) are not supported here; write the value out'],
    ],
    ['a tag', `${ok}live: !env x`, ['line 3: this is not YAML: Unresolved tag: !env']],
    ['quotes without an end', '"'.repeat(9), ['line 1: this is not YAML: Unexpected double-quoted-scalar at node end']],
    ['rules that are text', 'version: 1\nrules: none', ['line 2: expected a list of rules, found "none"']],

    [
      'a name in a group',
      `${ok}groups: { a: ["@chi"] }`,
      ['line 3: "@chi" is not a Slack id: U… or W… for a person, S… for a user group; never a name'],
    ],
    ['a group that is no list', `${ok}groups: { a: U111 }`, ['line 3: expected a list of Slack ids, found "U111"']],
    ['a number in a group', `${ok}groups: { a: [1] }`, ['line 3: expected a Slack id, found 1']],
    [
      'a group called everyone',
      `${ok}groups: { everyone: [] }`,
      ['line 3: "everyone" already means everyone; give this group another name'],
    ],
    ...['U01ANA', 'Leads', 'night shift', 'größe', 'a.b', 'x'.repeat(41)].map((name): [string, string, string[]] => [
      `a group called ${name}`,
      `${ok}groups: { "${name}": [] }`,
      [`line 3: ${JSON.stringify(name)} cannot name a group; use small letters a to z, digits, - and _, 40 at most`],
    ]),
    [
      'a deny to an empty group',
      `version: 1\ngroups: { leads: [], team_2: [U01ANA] }\nrules:\n  - deny: [push]\n    to:\n      - team_2\n      - leads\n`,
      ['line 7: the group "leads" is empty: this denies nobody'],
    ],
    [
      'a group that is a person',
      `${ok}people: { a: [S0GROUP] }`,
      ['line 3: "S0GROUP" is not the Slack id of a person: U… or W…'],
    ],
    [
      'one id of two people',
      `${ok}people:\n  a: [U111, U112]\n  b: [U112]`,
      ['line 5: U112 already belongs to another person'],
    ],

    ['neither allow nor deny', rule('{ to: [leads] }'), [`line ${FIRST_RULE}: a rule has either "allow" or "deny"`]],
    [
      'both',
      rule('{ allow: [read], deny: [read], to: [leads] }'),
      [`line ${FIRST_RULE}: a rule has either "allow" or "deny"`],
    ],
    [
      'a rule that is text',
      rule('everything'),
      [
        `line ${FIRST_RULE}: expected a rule: allow or deny, to, where, approval, canary, batchValidity, breakGlass, found "everything"`,
      ],
    ],
    [
      'an unknown field',
      rule('{ allow: [read], too: [leads], to: [leads] }'),
      [`line ${FIRST_RULE}: unknown key "too"; did you mean "to"?`],
    ],
    [
      'nothing allowed',
      rule('{ allow: [], to: [leads] }'),
      [`line ${FIRST_RULE}: this list is empty; expected commands or classes`],
    ],
    [
      'a command',
      rule('{ allow: [cache cleer], to: [leads] }'),
      [`line ${FIRST_RULE}: unknown command or class "cache cleer"; did you mean "cache clear"?`],
    ],
    [
      'part of a command',
      rule('{ allow: [allowlist], to: [leads] }'),
      [
        `line ${FIRST_RULE}: unknown command or class "allowlist"; did you mean "allowlist show", "allowlist add", "allowlist remove" or "allowlist set"?`,
      ],
    ],
    ['a class', rule('{ allow: [named], to: [leads] }'), [`line ${FIRST_RULE}: unknown command or class "named"`]],
    [
      'no audience',
      rule('{ allow: [read] }'),
      [`line ${FIRST_RULE}: "to" is missing: everyone, or a list of groups like [leads]`],
    ],
    [
      'neither an audience nor allow or deny',
      rule('{ where: [company] }'),
      [
        `line ${FIRST_RULE}: "to" is missing: everyone, or a list of groups like [leads]`,
        `line ${FIRST_RULE}: a rule has either "allow" or "deny"`,
      ],
    ],
    [
      'a group',
      rule('{ allow: [read], to: [leadz] }'),
      [`line ${FIRST_RULE}: unknown group "leadz"; did you mean "leads"?`],
    ],
    [
      'a group to notify',
      rule('{ allow: [push], to: [leads], approval: { by: [leads], notify: [leadz], notfy: [leads] } }'),
      [
        `line ${FIRST_RULE}: unknown group "leadz"; did you mean "leads"?`,
        `line ${FIRST_RULE}: unknown key "notfy"; did you mean "notify"?`,
      ],
    ],
    [
      'a group that is not in a list',
      rule('{ allow: [read], to: leads }'),
      [`line ${FIRST_RULE}: expected everyone, or a list of groups like [leads], found "leads"`],
    ],
    ['everyone in a list', rule('{ allow: [read], to: [everyone] }'), [`line ${FIRST_RULE}: unknown group "everyone"`]],
    [
      'a pattern',
      rule('{ allow: [read], to: [leads], where: [acme] }'),
      [`line ${FIRST_RULE}: "acme" is not a target: expected site/environment, domain:example.com or company`],
    ],
    [
      'no pattern',
      rule('{ deny: [read], to: [leads], where: [] }'),
      [`line ${FIRST_RULE}: this list is empty; expected targets, like ["acme-shop/*"]`],
    ],
    [
      'live that is no environment',
      `${ok}live: ["domain:a.b"]`,
      ['line 3: "domain:a.b" is not an environment; expected site/environment'],
    ],

    [
      'approval of a deny',
      rule('{ deny: [push], to: [leads], approval: none }'),
      [`line ${FIRST_RULE}: only a rule that allows can ask for approval`],
    ],
    [
      'approval by nobody',
      rule('{ allow: [push], to: [leads], approval: { count: 1 } }'),
      [`line ${FIRST_RULE}: "by" is missing: a list of groups, like [leads]`],
    ],
    [
      'approval by everyone',
      rule('{ allow: [push], to: [leads], approval: { by: everyone } }'),
      [`line ${FIRST_RULE}: expected a list of groups, like [leads], found "everyone"`],
    ],
    [
      'approval that is empty',
      rule('{ allow: [push], to: [leads], approval: }'),
      [`line ${FIRST_RULE}: expected "none" or { by, notify, then, count, expires, reason }, found nothing`],
    ],
    [
      'approval of a command that changes nothing',
      rule('{ allow: [push, logs], to: [leads], approval: { by: [leads] } }'),
      [`line ${FIRST_RULE}: "logs" changes no site and cannot wait for approval; give it its own rule`],
    ],
    [
      'an escalation that never comes',
      rule('{ allow: [push], to: [leads], approval: { by: [leads], then: { after: 1h, by: [leads] } } }'),
      [`line ${FIRST_RULE}: 1h is not shorter than "expires" (1h): nobody would be asked`],
    ],
    [
      'an escalation to an unknown group, at once',
      rule('{ allow: [push], to: [leads], approval: { by: [leads], then: { after: 1s, by: [leadz] } } }'),
      [
        `line ${FIRST_RULE}: "1s" is out of bounds: from 1m to 30d`,
        `line ${FIRST_RULE}: unknown group "leadz"; did you mean "leads"?`,
      ],
    ],
    [
      'an escalation to nobody',
      rule('{ allow: [push], to: [leads], approval: { by: [leads], then: { after: 5m, by: [] } } }'),
      [`line ${FIRST_RULE}: this list is empty; expected groups, like [leads]`],
    ],
    [
      'a count',
      rule('{ allow: [push], to: [leads], approval: { by: [leads], count: 0 } }'),
      [`line ${FIRST_RULE}: expected a whole number from 1 to 20, found 0`],
    ],
    [
      'a duration',
      rule('{ allow: [push], to: [leads], approval: { by: [leads], expires: 1w } }'),
      [`line ${FIRST_RULE}: "1w" is not a duration; write it like 90s, 30m, 1h or 7d`],
    ],
    [
      'a duration that is too short',
      rule('{ allow: [push], to: [leads], approval: { by: [leads], expires: 59s } }'),
      [`line ${FIRST_RULE}: "59s" is out of bounds: from 1m to 30d`],
    ],
    [
      'a duration that is too long',
      rule('{ allow: [push], to: [leads], approval: { by: [leads], expires: 31d } }'),
      [`line ${FIRST_RULE}: "31d" is out of bounds: from 1m to 30d`],
    ],
    [
      'a duration that is a number',
      rule('{ allow: [push], to: [leads], approval: { by: [leads], expires: 60 } }'),
      [`line ${FIRST_RULE}: expected a duration, like 30m or 1h, found 60`],
    ],
    [
      'a validity of batches that is too long',
      rule('{ allow: [routine], to: [leads], batchValidity: 121m }'),
      [`line ${FIRST_RULE}: "121m" is out of bounds: from 1m to 2h`],
    ],
    [
      'a validity of batches that is too short',
      rule('{ allow: [routine], to: [leads], batchValidity: 0h }'),
      [`line ${FIRST_RULE}: "0h" is out of bounds: from 1m to 2h`],
    ],
    [
      'a validity of batches that is a number',
      rule('{ allow: [routine], to: [leads], batchValidity: 45 }'),
      [`line ${FIRST_RULE}: expected a duration, like 30m or 1h, found 45`],
    ],
    [
      'a validity of batches by another name',
      rule('{ allow: [routine], to: [leads], batchValid: 1h }'),
      [`line ${FIRST_RULE}: unknown key "batchValid"; did you mean "batchValidity"?`],
    ],
    [
      'a validity of batches that are denied',
      rule('{ deny: [routine], to: [leads], batchValidity: 1h }'),
      [`line ${FIRST_RULE}: only a rule that allows can say how long a batch is valid`],
    ],
    ['breaking the glass outside a rule', `${ok}breakGlass: true`, ['line 3: unknown key "breakGlass"']],
    [
      'breaking the glass as text',
      rule('{ allow: [push], to: [leads], breakGlass: "true" }'),
      [`line ${FIRST_RULE}: expected true, false or alone, found "true"`],
    ],
    [
      'breaking the glass by nothing',
      rule('{ allow: [push], to: [leads], breakGlass: }'),
      [`line ${FIRST_RULE}: expected true, false or alone, found nothing`],
    ],
    [
      'breaking the glass by another name',
      rule('{ allow: [push], to: [leads], breakglass: true }'),
      [`line ${FIRST_RULE}: unknown key "breakglass"; did you mean "breakGlass"?`],
    ],
    [
      'breaking the glass where it is denied',
      rule('{ deny: [push], to: [leads], breakGlass: alone }'),
      [`line ${FIRST_RULE}: only a rule that allows can let somebody skip an approval`],
    ],
    [
      'breaking the glass for all that is read',
      rule('{ allow: [read], to: [leads], breakGlass: true }'),
      [`line ${FIRST_RULE}: "read" changes no site and needs no approval; give it its own rule`],
    ],
    [
      'breaking the glass for a command that changes no site',
      rule('{ allow: [push, pause], to: [leads], breakGlass: alone }'),
      [`line ${FIRST_RULE}: "pause" changes no site and needs no approval; give it its own rule`],
    ],
    [
      'a reason',
      rule('{ allow: [push], to: [leads], approval: { by: [leads], reason: yes } }'),
      [`line ${FIRST_RULE}: expected "required", "optional" or { match, link }, found "yes"`],
    ],
    [
      'what no reason can match',
      rule(reasoned('{ match: "(a", link: "https://t.example/$1" }')),
      [`line ${FIRST_RULE}: "(a" cannot be looked for: missing closing ): \`(a\``],
    ],
    [
      'a match of another kind, with another key',
      rule(reasoned('{ match: 5, links: x }')),
      [
        `line ${FIRST_RULE}: expected a regular expression, like "[A-Z]+-\\\\d+", found 5`,
        `line ${FIRST_RULE}: unknown key "links"; did you mean "link"?`,
      ],
    ],
    [
      'a link without a match',
      rule(reasoned('{ link: "https://t.example/$0" }')),
      [`line ${FIRST_RULE}: "match" is missing: a regular expression, like "[A-Z]+-\\\\d+"`],
    ],
    [
      'a link without its group',
      rule(reasoned('{ match: "(a)", link: "https://t.example/$2" }')),
      [`line ${FIRST_RULE}: "https://t.example/$2" cannot be a link: $2 is not there: the last group is $1`],
    ],
    [
      'a match and a link that are too long',
      rule(reasoned(`{ match: "${'a'.repeat(201)}", link: "https://t.example/${'a'.repeat(300)}" }`)),
      [
        `line ${FIRST_RULE}: a regular expression has at most 200 characters`,
        `line ${FIRST_RULE}: a link has at most 300 characters`,
      ],
    ],

    [
      'a channel by name',
      `${ok}channels: { "#ops": {} }`,
      ['line 3: "#ops" is neither the id of a channel (C… or G…) nor deny nor ops'],
    ],
    [
      'an environment as a site',
      `${ok}channels: { C0ACME: { sites: ["a/b"] } }`,
      ['line 3: "a/b" names an environment; a channel is bound to whole sites'],
    ],
    [
      'cards in a denied channel',
      `${ok}channels:\n  C0ACME: { cards: C0NO }\n  deny: [C0NO]\n  ops: C0NO`,
      [
        'line 4: C0NO is denied, so nothing can be posted there',
        'line 6: C0NO is denied, so nothing can be posted there',
      ],
    ],
    [
      'a channel that is no id, in another way',
      `${ok}channels: { Ops: C0ACME }`,
      ['line 3: "Ops" is neither the id of a channel (C… or G…) nor deny nor ops'],
    ],
    [
      'an environment that is live and is not',
      `${ok}environments: { ${UUID}: { site: a, name: live, live: false } }`,
      ['line 3: "a/live" is not live here, but "live" lists its name'],
    ],
    [
      'names and ids of overrides that are taken',
      `${ok}environments:\n  ${UUID}: { site: a, name: b }\n  ${UUID.toUpperCase()}: { site: c, name: d }\nsites:\n  ${UUID}: { name: a, environments: [${UUID}] }\n`,
      [`line 5: "${UUID}" is listed twice`, `line 7: "${UUID}" is listed twice`],
    ],
    [
      'an id that is no UUID',
      `${ok}environments: { x: { site: a, name: b } }`,
      ['line 3: "x" is not the id of a site or environment; expected a UUID'],
    ],
    [
      'an environment without a site',
      `${ok}environments: { ${'0'.repeat(8)}-0000-0000-0000-${'0'.repeat(12)}: { name: b } }`,
      ['line 3: "site" is missing: a name'],
    ],
  ])('%s', (_, text, expected) => {
    expect(mistakesOf(text)).toEqual(expected);
  });

  test('all of them at once, in the order of the file', () => {
    const text = `version: 1
groups:
  leads: [chi]
rules:
  - allow: [pusch]
    to: [leadz]
    where: ["a//b"]
    approval: { by: [leads], count: two, expires: soon, because: x }
channels: { ops: ops }
`;
    expect(mistakesOf(text).map((line) => line.split(':')[0])).toEqual([
      'line 3',
      'line 5',
      'line 6',
      'line 7',
      'line 8',
      'line 8',
      'line 8',
      'line 9',
    ]);
  });

  test('columns are those of the mistaken word', () => {
    const loaded = loadPolicy(`${ok}groups: { a: [U111, bad] }`, catalogue);
    expect(loaded).toMatchObject({ mistakes: [{ line: 3, column: 21 }] });
  });

  test('the error lists them below the path', () => {
    const error = new PolicyMistakes('policy.yml', [
      { line: 2, column: 1, says: 'this' },
      { line: 9, column: 1, says: 'that' },
    ]);
    expect(error.message).toBe('policy.yml cannot be used:\n  line 2: this\n  line 9: that');
  });
});

describe('ids and names must match completely', () => {
  const long = 'A'.repeat(20);
  const channels = { good: ['C12', 'G0ACME', `C${long}`], bad: ['C1', `C${long}A`, 'D0ACME', 'xC12', 'C12x', 'C-12'] };
  test.each<[string, (id: string) => string, readonly string[], readonly string[], string]>([
    ['a channel', (id) => `channels: { "${id}": {} }`, channels.good, channels.bad, 'is neither the id of a channel'],
    [
      'a channel that is denied',
      (id) => `channels: { deny: ["${id}"] }`,
      channels.good,
      channels.bad,
      'is not the id of a channel: C… or G…, never its name',
    ],
    [
      'a member',
      (id) => `groups: { a: ["${id}"] }`,
      ['U12', 'W0ANA', 'S0DEVS', `U${long}`],
      ['U1', `U${long}A`, 'C0ANA', 'xU12', 'U12x', 'U-12'],
      'is not a Slack id',
    ],
    [
      'a person',
      (id) => `people: { a: ["${id}"] }`,
      ['U12', 'W0ANA', `U${long}`],
      ['U1', `U${long}A`, 'S0DEVS', 'xU12', 'U12x', 'U-12'],
      'is not the Slack id of a person: U… or W…',
    ],
    [
      'a group',
      (id) => `groups: { "${id}": [] }`,
      ['a', 'night-shift_2', 'a'.repeat(40)],
      ['', 'aB', 'Ba', 'a b', 'a'.repeat(41)],
      'cannot name a group',
    ],
    [
      'an environment’s id',
      (id) => `environments: { "${id}": { site: a, name: b } }`,
      [UUID, UUID.toUpperCase()],
      [`0${UUID}`, `${UUID}0`, UUID.slice(1), UUID.slice(0, -1), UUID.replace('-4000', ''), UUID.replace('4', 'g')],
      'is not the id of a site or environment; expected a UUID',
    ],
    [
      'an environment’s name',
      (name) => `environments: { ${UUID}: { site: a, name: "${name}" } }`,
      ['a', 'größe 2', 'x'.repeat(100)],
      ['', ' a', 'a ', 'a/b', 'a*b', 'a\u200bb', 'x'.repeat(101)],
      'cannot be a name',
    ],
  ])('%s', (_, text, good, bad, says) => {
    expect(good.flatMap((id) => mistakesOf(ok + text(id)))).toEqual([]);
    for (const id of bad) expect(mistakesOf(ok + text(id))).toEqual([expect.stringContaining(says)]);
  });
});

describe('bounds', () => {
  const IDS = (count: number) =>
    Array.from({ length: count }, (_, index) => `U${String(index).padStart(6, '0')}`).join(', ');

  test('a file of 256 KiB, and one byte more', () => {
    const padded = (size: number) => ok + '#'.repeat(size - ok.length);
    expect(mistakesOf(padded(maxPolicyBytes))).toEqual([]);
    expect(mistakesOf(`${ok}groups: { a: [${'"[", '.repeat(200)}] }`)).not.toContainEqual(
      expect.stringContaining('too deeply'),
    );
    expect(mistakesOf(padded(maxPolicyBytes + 1))).toEqual(['line 1: the file is larger than 256 KiB']);
  });

  test('a thousand entries, and one more', () => {
    expect(mistakesOf(`${ok}groups: { a: [${IDS(1_000)}] }`)).toEqual([]);
    expect(mistakesOf(`${ok}groups: { a: [${IDS(1_001)}] }`)).toEqual(['line 3: a list has at most 1000 entries']);
  });

  test('a hundred mistakes', () => {
    expect(mistakesOf(`${ok}groups:\n${'  a: [x]\n'.repeat(900)}`)).toHaveLength(100);
  });

  test.each([
    ['[', 101],
    ['{a: ', 101],
    ['[', 256_000],
    ['- ', 101],
    ['[', 5_000],
    ['[\n ', 5_000],
    ['{a: ', 5_000],
    ['- ', 2_000],
    ['? ', 20_000],
  ])('%j nested deeper than the call stack', (opening, depth) => {
    expect(mistakesOf(`${ok}groups:\n  ${opening.repeat(depth)}`)).toEqual([
      expect.stringMatching(/^line \d+: this is nested too deeply$/),
    ]);
  });

  test.each([
    ['brackets', '['.repeat(2_000)],
    ['braces', '{a: '.repeat(2_000)],
    ['anchors', '&a '.repeat(10_000)],
    ['keys', Array.from({ length: 20_000 }, (_, index) => `k${index}: 1\n`).join('')],
    [
      'aliases of aliases',
      `a: &a [x]\n${Array.from({ length: 50 }, (_, index) => `b${index}: &b${index} [*a, *a, *a]\n`).join('')}`,
    ],
  ])('a file of nothing but %s', (_, text) => {
    expect(mistakesOf(text)).not.toEqual([]);
  });
});

describe('accepted files', () => {
  test('the example for newcomers', async () => {
    const policy = policyOf(await readFile(new URL('../../policy.example.yml', import.meta.url), 'utf8'));
    expect(policy.rules).toHaveLength(8);
    expect(policy.channels.ops).toBe('C0000000004');
    expect(policy.overrides).toEqual({
      environments: [{ id: '00000000-0000-4000-8000-000000000001', site: 'acme-blog', name: 'preview', live: false }],
      sites: [
        {
          id: '00000000-0000-4000-8000-000000000002',
          name: 'acme-blog',
          environments: ['00000000-0000-4000-8000-000000000001'],
        },
      ],
    });
  });

  test('the rules of the playground', async () => {
    const policy = policyOf(await readFile(new URL('../../src/playground/policy.yml', import.meta.url), 'utf8'));
    const push = decideAccess(policy, ana, to('push', 'acme-shop/live', 'acme-shop/staging'));
    expect(push).toMatchObject({
      kind: 'allowed',
      approval: { requirements: [{ by: ['leads'], count: 1 }], expires: 3_600_000 },
    });
    const kinds = [
      decideAccess(policy, rob, to('logs', 'acme-shop/live')),
      decideAccess(policy, ana, to('allowlist add', 'acme-shop/live')),
      decideAccess(policy, ana, to('cache clear', 'acme-shop/live')),
      decideAccess(policy, ana, to('themes update', 'acme-shop/staging')),
      decideAccess(policy, chi, to('delete', 'acme-shop/staging')),
      decideAccess(policy, rob, to('cache clear', 'acme-shop/staging')),
      decideAccess(policy, ana, to('themes update', 'acme-shop/live')),
      decideAccess(policy, ana, to('push', 'other/live', 'other/staging')),
      decideAccess(policy, chi, to('delete', 'acme-shop/live')),
      decideAccess(policy, ana, to('clone', company)),
      decideAccess(policy, ana, to('dns set', domain('example.com', 'acme-shop'))),
    ].map(({ kind }) => kind);
    expect(kinds).toEqual([...Array<string>(5).fill('allowed'), ...Array<string>(6).fill('not allowed')]);
  });

  test('the same text has the same hash, another text a different one', () => {
    const [one, same, other] = [policyOf(ok), policyOf(ok), policyOf(`${ok}\n`)];
    expect(one.hash).toMatch(/^[0-9a-f]{64}$/);
    expect([same.hash === one.hash, other.hash === one.hash]).toEqual([true, false]);
  });

  test.each([
    ['a rule below its hyphen', '  -\n    # why\n\n    allow: [read] # here\n    to: everyone\n'],
    ['a rule that says first whom', '  - # why\n    to: everyone # here\n    allow: [read]\n'],
    ['an anchor and a tag', '  - &first !!map\n    allow: &what [read] # here\n    to: everyone\n'],
    ['flow style', '  [ # why\n    {allow: [read], to: everyone}, # here\n\n  ]\n'],
    ['a key with a question mark', '  - ? allow # here\n    : - read\n    ? to\n    : everyone\n'],
    ['quotes over several lines', '  - "allow": # here\n      ["read"]\n    to: "every\\\n      one"\n'],
  ])('the line where a rule begins: %s', (_, written) => {
    for (const before of ['', '\uFEFF', '%YAML 1.2\n# 😀\n---\n'])
      for (const end of ['\n', '\r\n']) {
        const text = `${before}${GROUPS}rules:\n${written}`.replaceAll('\n', end);
        const line = text.split(end).findIndex((one) => one.includes('# here')) + 1;
        expect(policyOf(text).rules).toMatchObject([{ line, text: 'allow read to everyone' }]);
      }
  });

  test('a long rule is shortened', () => {
    const where = Array.from({ length: 30 }, (_, index) => `"site-${index}/*"`).join(', ');
    const [first] = policyOf(rule(`{ deny: [push], to: everyone, where: [${where}] }`)).rules;
    expect(first?.text).toMatch(/^deny push to everyone where site-0\/\*, .*…$/);
    expect(first?.text).toHaveLength(120);
  });
});

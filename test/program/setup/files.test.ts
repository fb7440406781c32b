import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { afterAll, expect, test } from 'vitest';
import { rights } from '../../../src/commands/rights.ts';
import { loadPolicy } from '../../../src/policy/load.ts';
import { envWith, stateOf, textIn, writeWhole } from '../../../src/program/setup/files.ts';
import { firstPolicy, whoApproves } from '../../../src/program/setup/roles.ts';
import { Stopped } from '../../../src/program/setup/prompts.ts';

const folder = mkdtempSync(join(tmpdir(), 'sitehand-files-'));
afterAll(() => rmSync(folder, { recursive: true }));

test('a file is replaced as a whole and keeps its rights, and no temporary file stays', () => {
  const path = join(folder, 'one/.env');
  writeWhole({ path, text: 'first', mode: 0o600 });
  chmodSync(path, 0o644);
  writeWhole({ path, text: 'second', mode: 0o600 });
  expect([readFileSync(path, 'utf8'), statSync(path).mode & 0o777]).toEqual(['second', 0o600]);
  expect(readdirSync(join(folder, 'one'))).toEqual(['.env']);
});

test('a link stays, and what it leads to is replaced', () => {
  writeFileSync(join(folder, 'real'), 'first');
  symlinkSync('real', join(folder, 'link'));
  writeWhole({ path: join(folder, 'link'), text: 'second', mode: 0o600 });
  expect(readFileSync(join(folder, 'real'), 'utf8')).toBe('second');
});

test('if a file cannot be written, no temporary file stays', () => {
  const path = join(folder, 'taken');
  mkdirSync(path);
  expect(() => writeWhole({ path, text: 'x', mode: 0o600 })).toThrow('EISDIR');
  expect(readdirSync(folder).filter((name) => name.startsWith('taken'))).toEqual(['taken']);
});

test('a file is missing, the same, open to others, or another one', () => {
  const path = join(folder, 'state');
  const states = () => ['a', 'b'].map((text) => stateOf({ path, text, mode: 0o600 }));
  expect(states()).toEqual(['missing', 'missing']);
  writeFileSync(path, 'a', { mode: 0o644 });
  expect(states()).toEqual(['open', 'other']);
  chmodSync(path, 0o600);
  expect(states()).toEqual(['same', 'other']);
});

test.each(['plain', 'with blanks and #', 'a"b', "a'b", 'a`b', `a"b'c`, 'back\\slash', '$HOME ${X}', 'x=y#z', ' '])(
  '.env gives back the value %j as it was',
  (value) => {
    const settings = { HOSTING_API_KEY: value.trim() || 'x', DATABASE_URL: `sqlite:${value}` };
    expect(parseEnv(envWith(settings).text)).toEqual({ ...settings, DATABASE_URL: settings.DATABASE_URL.trim() });
  },
);

test('what is not in UTF-8 would be damaged, and is refused', () => {
  const path = join(folder, 'latin1.env');
  writeFileSync(path, Buffer.from([0x41, 0x3d, 0xe9]));
  expect(() => textIn(path)).toThrow('latin1.env is not in UTF-8. Save it so first; nothing was written.');
  expect(textIn(join(folder, 'none'))).toBeUndefined();
});

test('a value that .env cannot hold is refused by the name of its setting', () => {
  expect(() => envWith({ HOSTING_API_KEY: `a"b'c\`d #e` })).toThrow(Stopped);
  expect(() => envWith({ HOSTING_API_KEY: `a"b'c\`d #e` })).toThrow('HOSTING_API_KEY');
});

test.each([
  ['nothing, and adds what is new', '# mine\nOTHER=1', 'LOG_LEVEL=warn\n', [], '# mine\nOTHER=1\nLOG_LEVEL=warn\n'],
  [
    'a line in its place',
    'LOG_LEVEL = info # loud\n\n# end\n',
    'LOG_LEVEL=warn\n',
    ['LOG_LEVEL'],
    'LOG_LEVEL=warn\n\n# end\n',
  ],
  [
    'an exported line, but no comment',
    '# LOG_LEVEL=info\nexport LOG_LEVEL=info',
    'LOG_LEVEL=warn\n',
    ['LOG_LEVEL'],
    '# LOG_LEVEL=info\nLOG_LEVEL=warn\n',
  ],
  [
    'all lines of a quoted value',
    "A='\nB=1'\nAUDIT_KEY='one\ntwo' # x\nC=2\n",
    'AUDIT_KEY=three\n',
    ['AUDIT_KEY'],
    "A='\nB=1'\nAUDIT_KEY=three\nC=2\n",
  ],
  ['a dropped line', 'AUDIT_KEY_FILE=/a\nC=2\n', 'AUDIT_KEY=three\n', ['AUDIT_KEY_FILE'], 'C=2\nAUDIT_KEY=three\n'],
  [
    'no line with the same value',
    "LOG_LEVEL='warn' # as it is\n",
    'LOG_LEVEL=warn\n',
    [],
    "LOG_LEVEL='warn' # as it is\n",
  ],
])('.env changes %s', (_, former, given, lines, text) => {
  const settings = Object.fromEntries(Object.entries(parseEnv(given)).map(([name, value = '']) => [name, value]));
  expect(envWith(settings, former, ['AUDIT_KEY_FILE'])).toEqual({ text, lines });
});

const [ana, ben, team] = [
  { id: 'U01ANA', name: 'Ana' },
  { id: 'U02BEN', name: 'Ben' },
  { id: 'S0TEAM', name: '@team' },
];

test.each([
  ['one lead', [ana], [], 'nobody'],
  ['two leads', [ana, ben], [], 'several'],
  ['a lead and a developer', [ana], [ben], 'one'],
  ['one who is both', [ana], [ana], 'nobody'],
  ['a user group', [team], [], 'several'],
  ['a lead and a user group', [ana], [team], 'one'],
] as const)(
  'the rules for %s can be used, and ask for approvals if somebody can give them',
  (_, leads, developers, who) => {
    expect(whoApproves({ leads, developers })).toBe(who);
    for (const ops of ['C0OPS', undefined]) {
      const text = firstPolicy({ leads, developers, ops });
      expect(text).toMatch(ops ? /^channels:\n  ops: C0OPS$/m : /^# channels:\n#   ops: C…$/m);
      const read = loadPolicy(text, rights);
      if (read.kind === 'mistakes') throw new Error(read.mistakes.map(({ says }) => says).join('; '));
      expect(read.policy.channels).toEqual({ bounds: new Map(), denied: new Set(), ops });
      const groups = [...read.policy.groups].map(([name, ids]) => [name, [...ids]]);
      expect(groups).toEqual([
        ['developers', developers.map(({ id }) => id)],
        ['leads', leads.map(({ id }) => id)],
      ]);
      const approved = read.policy.rules.filter(({ approval }) => approval !== undefined);
      expect(approved.map(({ breakGlass }) => breakGlass)).toEqual(who === 'nobody' ? [] : [undefined, undefined]);
      const alone = loadPolicy(firstPolicy({ leads, developers, ops, breaksGlass: true }), rights);
      const skips = alone.kind === 'policy' ? alone.policy.rules.flatMap(({ breakGlass }) => breakGlass ?? []) : [];
      expect(skips).toEqual(['alone', 'alone']);
    }
  },
);

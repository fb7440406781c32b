import { showDuration } from '../../words/duration.ts';
import { joined, list, say, type Inline, type Span, type Text, clipped, code, inShort } from '../../words/text.ts';
import type { Wording, Invalid } from '../kit/action.ts';
import { shownName, wrongLabels } from '../kit/values/hostnames.ts';
import { planOf, type Snapshot, type Plan, type RecordChange } from './plan.ts';
import {
  unquoted,
  isInZone,
  looksComplete,
  recordLabel,
  wholeName,
  maxValueLength,
  comparableValue,
  wrongValue,
  type RecordType,
} from './records.ts';

/** How a change of DNS records is worded: its card, and why it is refused. */

/** The card of a DNS change: old and new values side by side, and what may stop working. */
export function dnsWording(wanted: RecordChange, snapshot: Snapshot): Wording {
  const plan = planOf(wanted, snapshot);
  const { records, adds, gone, known, after, was } = plan;
  const [verb, done] =
    records.length === 0
      ? (['Add', 'Added'] as const)
      : after.length === 0
        ? (['Remove', 'Removed'] as const)
        : (['Change', 'Changed'] as const);
  const what = say`the ${wanted.type} record ${plan.whole} in the DNS of ${wanted.domain.name}`;
  return {
    title: say`${verb} ${what}`,
    done: say`${done} ${what}`,
    warning: joined(warnings(wanted, plan), '\n'),
    facts: {
      Name: /(?:^|\.)xn--/.test(plan.whole) ? shownName(plan.whole) : undefined,
      Before: was.length > 0 ? all(was, 8) : 'no such record',
      After: after.length > 0 ? all(after, 8) : 'no such record',
      Adds: adds.length > 0 ? all(adds) : undefined,
      Removes: gone.length > 0 ? all(gone) : undefined,
      'There already': known.length > 0 ? all(known) : undefined,
      TTL: ttlFact(plan),
      'Old answers':
        typeof plan.oldTtl === 'number'
          ? `may live for up to ${showDuration(plan.oldTtl * 1_000)} after it is sent`
          : undefined,
      'Long text': adds.some((value) => wanted.type === 'TXT' && unquoted(value).length > 255)
        ? 'more than 255 characters: DNS keeps them in several strings, which the host has to split'
        : undefined,
    },
  };
}

const all = (values: readonly string[], most = 20): Span => list(values, most, 'code');

function ttlFact({ oldTtl, ttl, after }: Plan): Inline {
  if (after.length === 0 || ttl === undefined) return undefined;
  const now = `${ttl} s (${showDuration(ttl * 1_000)})`;
  return oldTtl === undefined || oldTtl === ttl ? now : say`${oldTtl ?? 'not known'} s → ${now}`;
}

/** TXT values of which a name may have one, and what comes of a second one. */
const onlyOne = [
  { kind: 'SPF', of: 'spf1', result: 'receivers then believe none' },
  { kind: 'DMARC', of: 'DMARC1', result: 'receivers then apply none' },
  { kind: 'MTA-STS', of: 'STSv1', result: 'senders then follow none' },
  { kind: 'TLS-RPT', of: 'TLSRPTv1', result: 'nobody then reports to any' },
  { kind: 'DKIM', of: 'DKIM1', result: 'receivers then take any of them' },
  { kind: 'BIMI', of: 'BIMI1', result: 'receivers then show none' },
] as const;

const isOf = (version: string, value: string): boolean =>
  new RegExp(`^\\s*v\\s*=\\s*${version}(?![a-z0-9])`, 'i').test(unquoted(value));
const isSpf = (value: string): boolean => isOf('spf1', value);

/** What may stop working, most serious first. */
function warnings(
  { type, domain }: RecordChange,
  { whole, isApex, adds, gone, after, was }: Plan,
): readonly (Text | undefined)[] {
  const hasSpf = type === 'TXT' && [...adds, ...gone, ...(adds.length + gone.length === 0 ? was : [])].some(isSpf);
  return [
    type === 'NS' ? say`**Everything at ${whole} may stop being found:** this says who answers for it.` : undefined,
    type === 'MX' ? say`**Mail to ${whole} may stop:** this says where it is delivered.` : undefined,
    hasSpf ? say`**Mail from ${whole} may be refused:** this says who may send it (SPF).` : undefined,
    ...onlyOne.map(({ kind, of, result }) =>
      type === 'TXT' && after.filter((value) => isOf(of, value)).length > 1
        ? say`**There will be more than one ${kind} record,** and ${result}.`
        : undefined,
    ),
    isApex ? say`**This is the apex of ${domain.name}: the site or its mail may stop.**` : undefined,
    after.length === 0 ? say`**The whole record will be gone.**` : undefined,
  ];
}

type Refused = Invalid<keyof RecordChange>;
const refused = (field: keyof RecordChange, says: Text, hint?: Inline): Refused => ({
  field,
  says: say`${says} Nothing was done.`,
  hint,
});
const shortened = (text: string): string => (text.length > 80 ? `${text.slice(0, 80)}…` : text);

/** What is wrong with the input, regardless of the records. */
export function wrongInput(wanted: RecordChange): Refused | undefined {
  const { domain, type, name, ttl, add = [], remove = [] } = wanted;
  if (add.length + remove.length === 0 && ttl === undefined)
    return { ...refused('add', say`What should be changed?`, sayWhat), unsaid: true };
  const whole = wholeName(name, domain.name);
  if (!isInZone(whole, domain.name))
    return refused('name', say`${code(shortened(whole))} is not a name in ${domain.name}.`, withoutDot);
  if (looksComplete(name, domain.name))
    return refused(
      'name',
      say`${code(shortened(name))} is not a name in ${domain.name}.`,
      say`If you mean ${code(shortened(whole))}, type all of it.`,
    );
  const wrongName = wrongLabels(whole, recordLabel);
  if (wrongName !== undefined) return refused('name', say`${code(shortened(whole))} ${wrongName}.`);
  for (const value of add) {
    const wrong = wrongValue(type, value);
    if (wrong !== undefined) return refused('add', say`${code(shortened(value))} ${wrong}.`);
  }
  const removed = new Set(remove.map((value) => comparableValue(type, value)));
  const both = add.find((value) => removed.has(comparableValue(type, value)));
  if (both !== undefined) return refused('remove', say`${code(shortened(both))} is both added and removed.`);
  if ([...add, ...remove].join('').length > maxValueLength)
    return refused(
      'add',
      say`These are more than ${maxValueLength} characters in all.`,
      'Change fewer values at once.',
    );
  return type === 'CNAME' ? wrongAlias(whole === wholeName('@', domain.name), wanted) : undefined;
}

function wrongAlias(isApex: boolean, { domain, add = [] }: RecordChange): Refused | undefined {
  if (isApex && add.length > 0)
    return refused(
      'name',
      say`${domain.name} itself can't be a CNAME, because it needs other records.`,
      'Point it with an A record.',
    );
  return add.length > 1 ? refused('add', say`A CNAME has one value.`) : undefined;
}

/** Why the existing records forbid the change; undefined if they don't. */
export function impossible(wanted: RecordChange, snapshot: Snapshot): Refused | undefined {
  const conflict = conflictOf(wanted, snapshot);
  const offer = { label: `DNS of ${wanted.domain.name}`, args: ['dns', 'list', wanted.domain.id] };
  return conflict && { ...conflict, offers: [offer] };
}

function conflictOf(wanted: RecordChange, snapshot: Snapshot): Refused | undefined {
  const plan = planOf(wanted, snapshot);
  const { least = 0 } = snapshot;
  const { records, was, adds, gone, missing, known } = plan;
  const record = say`${wanted.type} record ${code(plan.whole)}`;
  if (records.length > 1)
    return refused('name', say`The host lists ${records.length} of the ${record}, and I can't tell them apart.`);
  if (records.length === 1 && was.length === 0)
    return refused('name', say`The host lists the ${record} without values that can be changed here.`);
  if (snapshot.hasUnread)
    return refused(
      'name',
      say`The host lists something of the ${record} that I can't read, so I can't tell what a change would leave.`,
      "Please change it in the host's panel.",
    );
  if (records.length === 0 && (adds.length === 0 || missing.length > 0))
    return refused('name', say`There is no ${record}.`);
  if (missing.length > 0)
    return refused(
      'remove',
      say`${valuesInShort(missing)} is not in the ${record}.`,
      say`It has ${valuesInShort(was)}.`,
    );
  const ttl = ttlConflict(wanted, plan, least, record);
  if (ttl) return ttl;
  if (adds.length + gone.length === 0 && plan.ttl === plan.oldTtl)
    return refused(
      'add',
      known.length > 0
        ? say`${valuesInShort(known)} is already in the ${record}.`
        : say`The ${record} already has this TTL.`,
    );
  return cnameConflict(wanted.type, plan);
}

/** `least`: the shortest TTL that the host accepts. */
function ttlConflict(wanted: RecordChange, plan: Plan, least: number, record: Text): Refused | undefined {
  if (plan.after.length === 0 && wanted.ttl !== undefined)
    return refused(
      'ttl',
      say`This removes the whole ${record}, so there is no TTL to set.`,
      say`Leave ${code('--ttl')} out.`,
    );
  if (plan.ttl === undefined)
    return refused('ttl', say`The host doesn't tell me the TTL of the ${record}.`, say`Add it: ${code('--ttl=3600')}.`);
  if (plan.after.length > 0 && plan.ttl < least)
    return wanted.ttl === undefined
      ? refused(
          'ttl',
          say`The ${record} has a TTL of ${plan.ttl} s, and the host accepts none below ${least} s.`,
          say`Type another one: ${code(`--ttl=${least}`)}.`,
        )
      : refused('ttl', say`The host accepts no TTL below ${least} s.`, say`Type ${code(`--ttl=${least}`)} or more.`);
  return undefined;
}

/** A CNAME cannot share its name with other records. */
function cnameConflict(type: RecordType, plan: Plan): Refused | undefined {
  const { others, after, adds, was, whole } = plan;
  if (adds.length === 0) return undefined;
  const [other] = type === 'CNAME' ? others : others.filter(({ type }) => type === 'CNAME');
  if (other)
    return refused(
      'type',
      say`${code(whole)} has a ${other.type} record, and a CNAME can't share its name with another record.`,
      'Remove that one first.',
    );
  if (type !== 'CNAME' || after.length === 1) return undefined;
  return refused(
    'add',
    say`${code(whole)} already has a CNAME, and a name can have only one.`,
    say`Remove the old value with it: ${valuesInShort(was)}.`,
  );
}

const sayWhat = say`Type a value to add (\`--add\`), one to remove (\`--remove\`), or another TTL (\`--ttl\`).`;
const withoutDot = 'A dot at the end means that the name is complete; leave it out.';

/** The first few values, shortened. */
export function valuesInShort(values: readonly string[]): Text {
  const short = values.map((value) => clipped(value, 60));
  return inShort([list(short, 5, 'code')]);
}

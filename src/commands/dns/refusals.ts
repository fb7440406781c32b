import { clipped, code, inShort, list, say, type Inline, type Text } from '../../words/text.ts';
import type { Invalid } from '../kit/action.ts';
import { wrongLabels } from '../kit/values/hostnames.ts';
import { isInZone, looksComplete, recordLabel, wholeName } from './names.ts';
import { planOf, type Plan, type Snapshot, type RecordChange } from './plan.ts';
import { maxValueLength, comparableValue, wrongValue, type RecordType } from './values.ts';

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

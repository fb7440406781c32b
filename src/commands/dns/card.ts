import { showDuration } from '../../words/duration.ts';
import { joined, list, say, type Inline, type Span, type Text } from '../../words/text.ts';
import type { Wording } from '../kit/action.ts';
import { shownName } from '../kit/values/hostnames.ts';
import { planOf, type Snapshot, type Plan, type RecordChange } from './plan.ts';
import { unquoted } from './values.ts';

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

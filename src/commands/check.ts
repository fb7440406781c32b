import type { Domain, Environment } from '../hosting/contract/target.ts';
import {
  fewCertificateDays,
  impressionIn,
  impressionOf,
  mostTellingOf,
  readingsForBad,
  slownessIn,
  verdictOf,
} from '../site-check/reading.ts';
import type { Impression, Look, SiteReading, Verdict } from '../site-check/reading.ts';
import { bold, code, joined, say, time, type Inline, type Text } from '../words/text.ts';
import { environmentOrDomain } from './kit/fields.ts';
import { counted, paragraph, type Page } from './kit/page.ts';
import { report } from './kit/report.ts';
import type { SiteVerdict } from './kit/site-status.ts';

export const check = report({
  summary: 'Ask a site itself how it is, as a visitor and past the cache',
  button: 'Check the site',
  also: `
    certificate, certificate ok, is certificate ok, certificate fine, is certificate fine, certificate valid, is
    certificate valid, certificate expire, check site, check <host>, check <environment>, test site, test <host>,
    visit, browse, curl, curl <host>, fetch, fetch <host>, load, load site, open site, open <host>, ping <host>, is
    reachable, reachable, is up <host>, probe, http check, http status, status code, response time, how fast, fast,
    ttfb, outside`,
  examples: ['acme-shop/live', 'acme-shop.example'],
  readsSites: true,
  fields: { of: environmentOrDomain() },
  target: 'of',
  show: async ({ input: { of }, siteCheck }) => {
    const { instead } = siteCheck;
    const plan = siteCheck.planFor(of);
    if (plan.kind === 'cannot be checked') return notChecked(of, plan.why);
    const first = await siteCheck.read(plan);
    const page = checkPage(of, { plan, instead, readings: [first] });
    if (impressionIn(first) === 'cannot be checked') return page;
    return {
      ...page,
      parts: [
        ...page.parts,
        paragraph("Two more readings follow. The verdict comes here in about 20 seconds, unless I'm restarted."),
      ],
      later: async () => checkPage(of, { plan, instead, ...(await siteCheck.readOn(plan, first)) }),
    };
  },
});

const notChecked = ({ name }: CheckTarget, why: Text): Page => ({
  title: say`❔ **${name} can't be checked**`,
  parts: [paragraph(say`I couldn't check it: ${why}. I didn't contact the site.`)],
});

type CheckTarget = Environment | Domain;

/** What these readings show. A single reading is called one reading. */
export function checkPage(of: CheckTarget, { plan: { otherDomains }, instead, readings, cut }: SiteVerdict): Page {
  const shown = mostTellingOf(readings);
  const verdict = verdictOf(readings);
  const more = otherDomains > 0 ? `${counted(otherDomains, 'more domain')} not read` : undefined;
  const there = instead && say`Asked ${code(instead)} in place of the site (${code('CHECK_CONNECT_TO')}).`;
  const each = readings.length > 1 || cut ? [paragraph(...readings.map(inOneLine))] : [];
  return {
    title: cut
      ? say`❔ **No verdict on ${of.name}**: ${counted(readings.length, 'reading')} of ${readingsForBad}`
      : titleOf(of.name, verdict, readings),
    parts: [
      ...(cut ? [paragraph(whyCut[cut])] : []),
      ...each,
      ...(shown ? [paragraph(...detailsOf(shown), there)] : []),
    ],
    source: joined([shown && say`${readings.length > 1 ? 'details' : 'read'} ${time(shown.at, 'date')}`, more], '; '),
    offers: [
      ...(of.kind === 'environment'
        ? [{ label: 'Error log of the last hour', args: ['logs', of.id, 'error', '--since=1h'] }]
        : []),
      { label: 'Check again', args: ['check', of.id] },
    ],
  };
}

const whyCut: Readonly<Record<NonNullable<SiteVerdict['cut']>, string>> = {
  busy: "I'm reading too many sites right now, so I didn't read this one again. Please check it again in a minute.",
  stopping: "I'm being stopped, so I didn't finish reading. Please check it again in a minute.",
  late: 'The readings took too long, so I stopped. Please check it again: a check by itself waits longer.',
};

const titles: Readonly<Record<Impression, (name: string) => Text>> = {
  well: (name) => say`✅ **${name} answers well** · one reading`,
  bad: (name) => say`⚠️ **${name} answers badly** · one reading`,
  unknown: (name) => say`❔ **I can't tell how ${name} is** · one reading`,
  'cannot be checked': (name) => say`❔ **${name} can't be checked**`,
};

function titleOf(name: string, verdict: Verdict, readings: readonly SiteReading[]): Text {
  const slow = slownessIn(readings);
  const isWell = verdict.kind === 'well' || (verdict.kind === 'one reading' && verdict.looks === 'well');
  if (isWell && slow) {
    const took = `${seconds(slow.look.ms)} ${asWhom(slow.look)}`;
    const where = readings.length === 1 ? 'one reading' : `slow in ${slow.of} of ${readings.length} readings`;
    return say`⚠️ **${name} answers, but slowly**: ${took} · ${where}`;
  }
  switch (verdict.kind) {
    case 'one reading':
      return titles[verdict.looks](name);
    case 'well':
      return say`✅ **${name} is well** in ${verdict.of} of ${verdict.of} readings`;
    case 'bad':
      return say`⚠️ **${name} is not well**: bad in ${verdict.bad} of ${verdict.of} readings`;
    case 'unsteady':
      return say`⚠️ **${name} is unsteady**: bad in ${verdict.bad} of ${verdict.of} readings`;
    case 'unknown': {
      const { bad, of } = verdict;
      const unclear = say`❔ **I can't tell how ${name} is**`;
      if (bad === 0) return say`${unclear}: none of ${of} readings was bad, but not all were well`;
      const why = bad === of ? 'too close together' : "and the others don't say";
      return say`${unclear}: bad in ${bad} of ${of} readings, ${why}`;
    }
    case 'cannot be checked':
      return titles['cannot be checked'](name);
  }
}

export const impressionWords: Readonly<Record<Impression, string>> = {
  well: 'well',
  bad: 'bad',
  unknown: 'unknown',
  'cannot be checked': 'not checked',
};

function inOneLine(reading: SiteReading, at: number): Text {
  const answers = [...new Set(reading.looks.map((look) => `${shortOf(look)} ${asWhom(look)}`))].slice(0, 4);
  const slow = slownessIn([reading]) && ', slow';
  return say`Reading ${at + 1}, ${time(reading.at)}: **${impressionWords[impressionIn(reading)]}**${slow} (${answers.join(', ')})`;
}

export const asWhom = ({ as }: Pick<Look, 'as'>): string => (as === 'visitor' ? 'as a visitor' : 'past the cache');

const shortOf = (look: Look): string => (look.kind === 'answered' ? String(look.status) : look.kind);

function detailsOf(reading: SiteReading): readonly Inline[] {
  const { looks, missing } = reading;
  const texts = Map.groupBy(missing, ({ text }) => text);
  return [
    isOnlyCached(looks) ? say`**Visitors still get pages**, but past the cache the site fails.` : undefined,
    ...[...texts].map(([text, [one, ...others]]) => {
      const whose = one === undefined || others.length > 0 ? '' : ` ${asWhom(one)}`;
      return say`**Missing:** “${text}” is on none of these pages${whose}.`;
    }),
    ...looks.map(lineOf),
    certificateIn(looks),
  ];
}

/** Whether visitors see a page that the site itself fails to deliver. */
export const isOnlyCached = (looks: readonly Look[]): boolean =>
  looks.some(
    (one) =>
      one.as === 'visitor' &&
      impressionOf(one) === 'well' &&
      looks.some((other) => other.address === one.address && other !== one && impressionOf(other) === 'bad'),
  );

function lineOf(look: Look): Text {
  const start = say`${code(look.address)} ${asWhom(look)}:`;
  if (look.kind === 'not checked') return say`${start} not asked, because ${look.why}`;
  if (look.kind === 'no answer') return say`${start} **no answer**: it ${look.why}`;
  const { status, trouble, unread, title, cache, finalAddress, address } = look;
  const moved = finalAddress === address ? undefined : say`at ${code(finalAddress)}`;
  const facts: readonly Inline[] = [
    say`${impressionOf(look) === 'bad' ? bold(String(status)) : String(status)} in ${seconds(look.ms)}${isInstant(look.firstByteMs) ? '' : `, first byte after ${seconds(look.firstByteMs)}`}`,
    trouble && bold(trouble),
    unread,
    moved,
    title && say`“${title}”`,
    cache && say`cache: ${code(cache)}`,
  ];
  return say`${start} ${joined(facts, '; ')}`;
}

export const seconds = (ms: number): string =>
  isInstant(ms) ? 'under 0.1 s' : `${(ms / 1_000).toFixed(ms < 9_950 ? 1 : 0)} s`;
/** It would be shown as 0.0 s. */
const isInstant = (ms: number): boolean => ms < 50;

export function certificateIn(looks: readonly Look[]): Text | undefined {
  const days = looks.flatMap((look) => (look.kind === 'answered' ? (look.certificateDays ?? []) : []));
  if (days.length === 0) return undefined;
  const least = Math.min(...days);
  const left = `The certificate is valid for ${counted(least, 'more day')}.`;
  return least < fewCertificateDays ? say`⚠️ **${left}**` : say`${left}`;
}

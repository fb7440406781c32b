import { z } from 'zod';
import { expectedApproval } from './approval-schema.ts';
import { dayMs } from '../words/duration.ts';
import { weekdayNamed } from '../words/written-time.ts';
import { beginningAt, endingAt, isZoneName, localDay, timeOfDay } from '../words/zoned-time.ts';
import { weekMs, type FreezeTime, type WeeklySpan } from './freeze-time.ts';
import { isWrite, type Approval } from './rules.ts';
import {
  audienceAmong,
  commandAmong,
  fields,
  filledList,
  inputError,
  listShape,
  parsedText,
  refuse,
  target,
  type Context,
  type RuleNames,
} from './shapes.ts';
import { quoted, unknownAmong } from './yaml-document.ts';

/** `freezes:` of the policy file: its shape. If a message begins with `expected`, what the file has instead is added. */

const maxFreezes = 50;
const maxSpans = 14;

const name = z
  .string('expected a name')
  .regex(/^[a-z0-9-]{1,40}$/, inputError('cannot name a freeze; use small letters a to z, digits and -, 40 at most'));
const reason = z
  .string('expected a reason')
  .regex(
    /^(?! )[^\p{Cc}\p{Cf}\p{Cs}]{1,200}(?<! )$/u,
    inputError('cannot be a reason; use 1 to 200 characters on one line'),
  );

const zone = z.string('expected a time zone, like Europe/Berlin').refine(isZoneName, {
  error: ({ input }) => unknownAmong('time zone', String(input), ['UTC', ...Intl.supportedValuesOf('timeZone')]),
});

/** A local time, with its text. */
const localTime = parsedText(
  z
    .string('expected a local time, like 2026-11-27 18:00')
    .regex(/^\d{4}-\d\d-\d\d \d\d:\d\d$/, inputError('is not a local time; write it like 2026-11-27 18:00')),
  (text) => {
    const [date = '', clock = ''] = text.split(' ');
    const [day, time] = [localDay(date), timeOfDay(clock)];
    if (day === undefined) return `${quoted(date)} is not a day`;
    return time === undefined ? `${quoted(clock)} is not a time of day` : { text, local: day + time };
  },
);

const weeklySpan = parsedText(
  z
    .string('expected days and times, like fri 16:00 – mon 08:00')
    .regex(
      /^[A-Za-z]{3,9} \d\d?:\d\d ?(-|–|to) ?[A-Za-z]{3,9} \d\d?:\d\d$/,
      inputError('is not a part of the week; write it like fri 16:00 – mon 08:00'),
    ),
  (text): (WeeklySpan & { readonly text: string }) | string => {
    const [, day = '', clock = '', lastDay = '', lastClock = ''] =
      /^(\w+) ([\d:]+) ?(?:-|–|to) ?(\w+) ([\d:]+)$/.exec(text) ?? [];
    const [from, to] = [timeOfWeek(day, clock), timeOfWeek(lastDay, lastClock)];
    if (from === undefined || to === undefined) {
      const wrong = from === undefined ? `${day} ${clock}` : `${lastDay} ${lastClock}`;
      return `${quoted(wrong)} is not a time of the week; write it like fri 16:00`;
    }
    if (from === to) return `${quoted(text)} ends when it begins`;
    return { text, from, to: to > from ? to : to + weekMs };
  },
);

/** `fri` or `friday`, and a time of day, in milliseconds after the start of Monday; undefined if it is none. */
function timeOfWeek(day: string, clock: string): number | undefined {
  const [weekday, time] = [weekdayNamed(day), timeOfDay(clock)];
  return weekday === undefined || time === undefined ? undefined : ((weekday + 6) % 7) * dayMs + time;
}

const weekly = z
  .union(
    [
      weeklySpan.transform((one) => [one]),
      filledList(weeklySpan, 'parts of the week, like [fri 16:00 – mon 08:00]').max(
        maxSpans,
        `a freeze has at most ${maxSpans} parts of the week`,
      ),
    ],
    'expected a part of the week like fri 16:00 – mon 08:00, or a list of such',
  )
  .superRefine((spans, ctx) => {
    for (const [index, one] of spans.entries())
      if (spans.slice(0, index).some((former) => overlap(former, one)))
        refuse(ctx, [index], `${quoted(one.text)} overlaps another part of this freeze`);
  });

/** Whether two spans of every week have a moment in common, also where one goes on into the next week. */
const overlap = (one: WeeklySpan, other: WeeklySpan): boolean =>
  [-weekMs, 0, weekMs].some((shift) => one.from < other.to + shift && other.from + shift < one.to);

function whatShape({ catalogue }: RuleNames) {
  const still = new Set(['read', ...catalogue.filter((one) => !isWrite(one)).map(({ path }) => path)]);
  return filledList(
    commandAmong(catalogue).refine((one) => !still.has(one), inputError('changes no site, and no freeze holds it')),
    'commands or classes',
  );
}

/** The schema of `freezes`. `approval`: how a rule asks for one. */
export function freezesShape<A extends z.ZodType<Approval>>(known: RuleNames, approval: A) {
  const exempt = audienceAmong([...known.groups.keys(), ...known.callers]);
  const freeze = {
    name: name.describe('Small letters, digits and -'),
    reason: reason.optional().describe('Why, for people whom it holds'),
    where: filledList(target, 'targets, like ["*/live"]').optional().describe('As in rules; left out: everywhere'),
    what: whatShape(known).optional().describe('Commands or classes; left out: whatever changes something'),
    from: localTime.optional().describe('When it begins, by the clock in its zone: 2026-11-27 18:00'),
    to: localTime.optional().describe('When it ends'),
    weekly: weekly.optional().describe('Instead of from and to: fri 16:00 – mon 08:00, or a list of such'),
    zone: zone.describe('An IANA name, like Europe/Berlin'),
    except: fields(
      {
        to: exempt.describe('Groups and callers (caller:NAME) that it does not hold, if a rule allows them'),
        approval: z
          .union([z.literal('none'), approval], `expected "none" or ${expectedApproval}`)
          .default('none')
          .describe('Who must approve as well; left out: nobody'),
      },
      '{ to, approval }',
    ).optional(),
  };
  const shape = fields(freeze, 'a freeze: name, reason, where, what, from and to or weekly, zone, except')
    .refine(({ from, to, weekly }) => (weekly === undefined ? from && to : !from && !to), {
      error: 'a freeze has either "from" and "to", or "weekly"',
      // Also checks a freeze that has other mistakes.
      when: ({ value }) => typeof value === 'object' && value !== null,
    })
    .meta({ oneOf: [{ required: ['from', 'to'] }, { required: ['weekly'] }] })
    .transform(({ from, to, weekly, zone, ...rest }, ctx) => {
      const time = weekly ? weeklyTime(weekly, zone) : onceTime({ from, to, zone }, ctx);
      return { ...rest, time };
    });
  return listShape(shape, 'freezes')
    .max(maxFreezes, `a policy has at most ${maxFreezes} freezes`)
    .superRefine((all, ctx) => {
      for (const [index, one] of all.entries())
        if (all.findIndex((former) => former.name === one.name) < index)
          refuse(ctx, [index, 'name'], `${quoted(one.name)} is listed twice`);
    });
}

const weeklyTime = (spans: z.output<typeof weekly>, zone: string): FreezeTime => ({
  kind: 'weekly',
  zone,
  text: spans.map(({ text }) => text).join(', '),
  weekly: spans.map(({ from, to }) => ({ from, to })).toSorted((a, b) => a.from - b.from),
});

type Once = Readonly<Record<'from' | 'to', z.output<typeof localTime> | undefined>> & { readonly zone: string };

function onceTime({ from, to, zone }: Once, ctx: Context): FreezeTime {
  if (!from || !to) return z.NEVER;
  const span = { from: beginningAt(zone, from.local), until: endingAt(zone, to.local) };
  if (from.local >= to.local) refuse(ctx, ['to'], `${quoted(to.text)} is not after ${quoted(from.text)}`);
  else if (span.from >= span.until)
    refuse(ctx, ['to'], `the clock in ${zone} skips all from ${from.text} to ${to.text}`);
  return { kind: 'once', zone, text: `${from.text} to ${to.text}`, span };
}

import type { Environment, Environments } from '../hosting/contract/target.ts';
import type { Offer } from '../base/errors.ts';
import { toldApart } from '../words/similar-names.ts';
import { plain, say, time, type Text } from '../words/text.ts';
import { whyMissing, type StatusText } from './kit/site-status.ts';
import { environments, type NameField } from './kit/fields.ts';
import { counted, paragraph, readAt, type Page } from './kit/page.ts';
import type { EnvironmentResult } from './kit/report.ts';

/** Reports over many environments: one line for each; an environment that could not be read is named as unknown. */

/** What is said of one environment. Lines with a lower rank come first among those with the same mark. */
export type Ranked = StatusText & {
  readonly rank: number;
  /** It has no line of its own, because the note tells of it; it counts, and is in the file. */
  readonly isInNote?: true;
};

/** One environment or several, typed after `in`. `leftOut`: what the report is about without the field. */
export const among = (leftOut: string): NameField<Environment | Environments, true> => ({
  ...environments(),
  label: 'Among',
  hint: `Names, patterns or sets, with commas between them; left out, ${leftOut}`,
  optional: true,
  after: 'in',
});

/** The environments named in a field that takes one or several. */
export const asEnvironments = (named: Environment | Environments): Pick<Environments, 'all' | 'trouble'> =>
  named.kind === 'environments' ? named : { all: [named], trouble: undefined };

type ManyReport<T> = {
  readonly title: Text;
  readonly of: Pick<Environments, 'trouble'>;
  readonly each: readonly EnvironmentResult<T>[];
  /** Undefined: the environment gets no line. */
  readonly tell: (found: T) => Ranked | undefined;
  /** Shown if there are no lines. */
  readonly none: Text;
  /** Shown above the lines. */
  readonly note?: Text | undefined;
  /** Only a part of each was read: ✅ from `tell` is shown as •, because what was not read may be bad. */
  readonly isPartial?: boolean;
  /** False: nothing that was asked of the host could be read. */
  readonly isRead?: boolean;
  /** A button for one environment; the worst ones get it. */
  readonly offer?: (env: Environment, shownName: string) => Offer | undefined;
  readonly now: number;
};

const maxOffers = 3;

const columns = ['environment', 'state', 'says', 'read at'];

const slugOf = (title: Text): string =>
  plain(title)
    .toLowerCase()
    .replaceAll(/[^a-z0-9.]+/g, '-')
    .replaceAll(/^-|-$/g, '');

/** The marks in words, for a file, in the order of their lines. Unknown comes before well, to be on the first page. */
const states: Readonly<Record<StatusText['mark'], string>> = {
  '⚠️': 'needs a look',
  '•': 'found',
  '❔': 'unknown',
  '✅': 'well',
  '🚫': 'not shown',
};
const order = Object.keys(states);

export function manyPage<T>(report: ManyReport<T>): Page {
  const { title, of, each, none, note, offer, now, isRead = true } = report;
  const lines = linesOf(report);
  const nameOf = toldApart(each.map(({ env }) => env));
  const [unknown, hidden] = (['❔', '🚫'] as const).map((mark) => lines.filter((line) => line.mark === mark).length);
  const found = lines.length - (unknown ?? 0) - (hidden ?? 0);
  const counts = [
    found === each.length ? '' : `${found} of `,
    counted(each.length, 'environment'),
    unknown ? `, ${unknown} unknown` : '',
    hidden ? `, ${hidden} you may not see` : '',
  ];
  const notes = [...(of.trouble ? [say`There may be more: ${of.trouble}`] : []), ...(note ? [note] : [])];
  const read = [time(now, 'date')];
  const rows = [
    ...notes.map((says) => [[], [], says, read]),
    ...lines.map(({ env, state, says }) => [[{ text: nameOf(env) }], [{ text: state }], says, read]),
  ];
  const shown = lines.filter(({ isInNote }) => isInNote !== true);
  const offers = lines.flatMap(({ env }) => offer?.(env, nameOf(env)) ?? []).slice(0, maxOffers);
  return {
    title: say`${title} · ${counts.join('')}`,
    parts: [
      ...notes.map((one) => paragraph(one)),
      ...(lines.length === 0 ? [paragraph(none)] : []),
      ...(shown.length === 0
        ? []
        : [
            {
              kind: 'list',
              entries: shown.map(({ mark, env, says }) => say`${mark} **${nameOf(env)}** ${says}`),
            } as const,
          ]),
    ],
    ...(lines.length > 1 && { sheet: { name: `${slugOf(title)}.csv`, columns, rows } }),
    ...(offers.length > 0 && { offers }),
    source: say`${isRead ? readAt(now) : say`asked ${time(now, 'date')}`}, among the environments you can see; for you alone`,
  };
}

/** What is said of each environment, the worst first, with the mark that is shown and its words for a file. */
function linesOf<T>({ each, tell, isPartial = false }: Pick<ManyReport<T>, 'each' | 'tell' | 'isPartial'>) {
  return each
    .flatMap(({ env, part }) => {
      const told = part.kind === 'found' ? tell(part.found) : { ...whyMissing(part), rank: 0 };
      return told === undefined ? [] : [{ env, ...told }];
    })
    .toSorted(
      (one, other) =>
        order.indexOf(one.mark) - order.indexOf(other.mark) ||
        one.rank - other.rank ||
        one.env.name.localeCompare(other.env.name, 'en'),
    )
    .map((line) =>
      isPartial && line.mark === '✅'
        ? { ...line, mark: '•' as const, state: 'nothing found in what was read' }
        : { ...line, state: states[line.mark] },
    );
}

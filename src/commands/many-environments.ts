import type { Environment, Environments } from '../hosting/contract/target.ts';
import { plain, say, time, type Text } from '../text.ts';
import { whyMissing, type StatusText } from './builtin/status-line.ts';
import { environments, type NameField } from './kit/fields.ts';
import { counted, paragraph, readAt, type Page } from './kit/page.ts';
import type { EnvironmentResult } from './kit/report.ts';

/** Reports over many environments: one line for each; an environment that could not be read is named as unknown. */

/** A line about one environment. Among lines with the same mark, those with a lower rank come first. */
export type Ranked = StatusText & { readonly rank: number };

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
  readonly now: number;
};

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

export function manyPage<T>({ title, of: { trouble }, each, tell, none, note, now }: ManyReport<T>): Page {
  const lines = each
    .flatMap(({ env: { name }, part }) => {
      const told = part.kind === 'found' ? tell(part.found) : { ...whyMissing(part), rank: 0 };
      return told === undefined ? [] : [{ name, ...told }];
    })
    .toSorted(
      (one, other) =>
        order.indexOf(one.mark) - order.indexOf(other.mark) ||
        one.rank - other.rank ||
        one.name.localeCompare(other.name, 'en'),
    );
  const [unknown, hidden] = (['❔', '🚫'] as const).map((mark) => lines.filter((line) => line.mark === mark).length);
  const found = lines.length - (unknown ?? 0) - (hidden ?? 0);
  const counts = [
    found === each.length ? '' : `${found} of `,
    counted(each.length, 'environment'),
    unknown ? `, ${unknown} unknown` : '',
    hidden ? `, ${hidden} you may not see` : '',
  ];
  const notes = [...(trouble ? [say`There may be more: ${trouble}`] : []), ...(note ? [note] : [])];
  const read = [time(now, 'date')];
  const rows = [
    ...notes.map((says) => [[], [], says, read]),
    ...lines.map(({ mark, name, says }) => [[{ text: name }], [{ text: states[mark] }], says, read]),
  ];
  return {
    title: say`${title} · ${counts.join('')}`,
    parts: [
      ...notes.map((one) => paragraph(one)),
      lines.length === 0
        ? paragraph(none)
        : { kind: 'list', entries: lines.map(({ mark, name, says }) => say`${mark} **${name}** ${says}`) },
    ],
    ...(lines.length > 1 && { sheet: { name: `${slugOf(title)}.csv`, columns, rows } }),
    reads: each.map(({ env, paths }) => ({ env, paths })),
    source: say`${readAt(now)}, among the environments you can see; for you alone`,
  };
}

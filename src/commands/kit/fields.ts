import { showDuration } from '../../words/duration.ts';
import { Refusal, type Args } from '../../base/errors.ts';
import type { Domain, Environment, Environments, NamedSite } from '../../hosting/contract/target.ts';
import { readAddresses } from './values/addresses.ts';
import { didYouMean, near } from '../../words/similar-names.ts';
import { code } from '../../words/text.ts';
import { readDuration, readMoment, type Moment } from './values/times.ts';

type Common<Optional extends boolean> = {
  readonly label: string;
  /** How it is typed: as a positional word, or as `--name value`. Forms ignore it. */
  readonly place: 'word' | 'option';
  readonly optional: Optional;
  /** What it means, in one line: under it in a form, beside it in help. */
  readonly hint?: string;
  /** Its placeholder in usage lines: `<address…>`. */
  readonly shown: string;
  /** Other words for this option. */
  readonly also?: readonly string[];
};

/** A field that is read from its words alone, without the company's names. */
export type PlainField<T, Optional extends boolean = boolean> = Common<Optional> & {
  readonly kind: 'plain';
  readonly many: boolean;
  /** All possible values, if that is a short list. `means`: other words for them. */
  readonly choices?: readonly string[];
  readonly means?: Readonly<Record<string, string>>;
  /** A whole number between these bounds, inclusive. */
  readonly between?: readonly [from: number, to: number];
  /** What it is, so that it is recognised wherever it stands in a line; `words`: whatever is left. */
  readonly takes?:
    | 'a person'
    | 'an address'
    | 'a path'
    | 'a host name'
    | 'a site'
    | 'a visitor'
    | 'a record name'
    | 'a text'
    | 'a value'
    | 'words';
  /** A sample value for the form. */
  readonly example?: string;
  /** A number and its unit may be two words: `7 days`. */
  readonly isTime?: true;
  /** Whether a word can belong to this field; otherwise the next field gets it. By default every word can. */
  fits?(word: string): boolean;
  /** The last field: it takes all words that follow, options included. Its command has no options. */
  readonly rest?: true;
  /** Values that look like service tokens are allowed here; private keys are not. */
  readonly takesTokens?: true;
  /** The default value; a field with a default is never missing. */
  readonly absent?: T;
  /** Reads a value; throws `Refusal`. A form's state comes in as words too. */
  read(words: readonly string[]): T;
  /** The inverse of `read`: for usage, prefill, buttons and storage. */
  show(value: T): readonly string[];
};

/** A field that names an environment, a domain or a site; the pipeline resolves the name. */
export type NameField<
  T extends Environment | Domain | NamedSite | Environments,
  Optional extends boolean = boolean,
> = Common<Optional> & {
  readonly kind: Exclude<T['kind'], 'environments'>;
  /** It can name a domain too. */
  readonly orDomain?: true;
  /** It can name several environments too. */
  readonly orMany?: true;
  /** A keyword that must precede the value (`in` before `acme-shop/live`). */
  readonly after?: string;
  readonly of?: T;
};

/** Which kinds of names a field accepts. */
export type NameKind = Pick<NameField<Environment>, 'orDomain' | 'orMany'> & { readonly kind: Field['kind'] };

/** Any field, without the type of its value; `Input` restores that type. */
export type Field =
  | PlainField<unknown>
  | NameField<Environment>
  | NameField<Domain>
  | NameField<Environment | Domain>
  | NameField<Environment | Environments>
  | NameField<NamedSite>;
export type Fields = Readonly<Record<string, Field>>;

type Value<F> =
  F extends NameField<infer T, infer O> ? Given<T, O> : F extends PlainField<infer T, infer O> ? Given<T, O> : never;
type Given<T, Optional> = Optional extends true ? T | undefined : T;
/** The values of a command's fields. */
export type Input<F extends Fields> = { readonly [K in keyof F]: Value<F[K]> };

/** Names of the fields that can be a target: required environments or domains. */
export type TargetKey<F extends Fields> = {
  [K in keyof F]: F[K] extends NameField<Environment | Environments | Domain, false> ? K : never;
}[keyof F] &
  string;

export const environment = (label = 'Environment'): NameField<Environment, false> => ({
  kind: 'environment',
  label,
  place: 'word',
  optional: false,
  shown: 'site/environment',
});

/** An optional environment. */
export const anyEnvironment = (): NameField<Environment, true> => ({ ...environment(), optional: true });

/** One or several. */
export const environments = (): NameField<Environment | Environments, false> => ({
  ...environment(),
  orMany: true,
  shown: 'site/environment…',
});

export const domain = (): NameField<Domain, false> => ({
  kind: 'domain',
  label: 'Domain',
  place: 'word',
  optional: false,
  shown: 'domain',
});

export const environmentOrDomain = (): NameField<Environment | Domain, false> => ({
  ...environment('Environment or domain'),
  orDomain: true,
  shown: 'site/environment|domain',
});

/** An optional site. */
export const anySite = (): NameField<NamedSite, true> => ({
  kind: 'site',
  label: 'Site',
  place: 'word',
  optional: true,
  shown: 'site',
});

/** One word, unchanged. */
export const word = (label: string, limit = 200): PlainField<string, false> =>
  wordField(label, {
    takes: 'a text',
    read: ([first = '']) => {
      if (first.length > limit) throw new Refusal(`${label} may have at most ${limit} characters. Nothing was done.`);
      if (/\p{Cc}/u.test(first)) throw new Refusal(`${label} may not have tabs or line breaks. Nothing was done.`);
      return first;
    },
  });

/** A member of the workspace, mentioned or given by id; the value is a Slack user id. */
export const member = (label: string): PlainField<string, false> =>
  plainField(label, {
    shown: '@person',
    takes: 'a person',
    fits: (word) => /^@?[UW][A-Z\d]{2,20}$/.test(word),
    read: ([first = '']) => {
      const id = /^@?([UW][A-Z\d]{2,20})$/.exec(first)?.[1];
      if (id !== undefined) return id;
      const typed = first.slice(0, 40);
      throw new Refusal(`${label} is somebody in this workspace, like @Ana, not “${typed}”. Nothing was done.`);
    },
    show: (value) => [`@${value}`],
  });

/** The words of another command with its options: takes everything that follows. A form gives them as one text. */
export const rest = (label: string): PlainField<Args, false> =>
  wordField<Args>(label, {
    many: true,
    rest: true,
    shown: `${label.toLowerCase()}…`,
    read: (words) => {
      const [first = ''] = words;
      // Text with quotes stays whole: the parser of the inner command splits it.
      return words.length === 1 && !/["“”„«»‘’']/.test(first) ? first.trim().split(/\s+/) : words;
    },
  });

/** Several words, joined with single spaces. */
export const phrase = (label: string, limit = 3_000): PlainField<string, false> =>
  plainField(label, {
    many: true,
    takes: 'words',
    shown: `${label.toLowerCase()}…`,
    read: (words) => {
      const text = words.join(' ').trim().split(/\s+/).join(' ');
      if (text.length > limit) throw new Refusal(`${label} may have at most ${limit} characters. Nothing was done.`);
      return text;
    },
    show: (value) => value.split(' '),
  });

/** One of a few words; case does not matter. */
export const choice = <const T extends string>(label: string, of: readonly T[]): PlainField<T, false> =>
  wordField<T>(label, {
    choices: of,
    shown: of.join('|'),
    read: ([first = '']) => {
      const found = of.find((one) => one === first.toLowerCase());
      if (found !== undefined) return found;
      const [nearest] = near(first.toLowerCase().slice(0, 40), of);
      throw new Refusal(
        `${label} has to be one of ${of.join(', ')}, not “${first.slice(0, 40)}”. Nothing was done.`,
        nearest === undefined ? {} : { hint: didYouMean([code(nearest)]) },
      );
    },
  });

/** A whole number between two bounds. */
export const count = (label: string, from: number, to: number): PlainField<number, false> =>
  plainField(label, {
    shown: 'n',
    between: [from, to],
    read: ([first = '']) => {
      const value = /^#?\d{1,15}$/.test(first) ? Number(first.replace('#', '')) : Number.NaN;
      if (value >= from && value <= to) return value;
      const typed = first.slice(0, 40);
      throw new Refusal(`${label} has to be a whole number from ${from} to ${to}, not “${typed}”. Nothing was done.`);
    },
    show: (value) => [String(value)],
  });

/** IP addresses and ranges in canonical spelling, without duplicates; `anyWidth` is for commands that only remove. */
export const addresses = (label: string, anyWidth = false): PlainField<readonly string[], false> =>
  wordField(label, {
    many: true,
    shown: 'address…',
    takes: 'an address',
    example: '198.51.100.4 or 2001:db8::/64, one per line',
    read: (words) => readAddresses(words, anyWidth),
  });

/** Whether a word means yes. */
export const isYes = (word: string): boolean => /^(yes|true|on|1)$/i.test(word);

/** On if given (`--name`, `--name=yes`); off if left out (or `--name=no`). */
export const flag = (label: string, also: readonly string[] = []): PlainField<boolean, false> =>
  plainField<boolean>(label, {
    place: 'option',
    also,
    choices: ['yes'],
    absent: false,
    read: ([first = 'yes']) => {
      if (isYes(first)) return true;
      if (/^(no|false|off|0)$/i.test(first)) return false;
      throw new Refusal(`${label} is yes or no, not “${first.slice(0, 40)}”. Nothing was done.`);
    },
    show: (value) => (value ? ['yes'] : []),
  });

/** A length of time in milliseconds: `90s`, `30m`, `2h`, `7d`. */
export const duration = (label: string, from: number, to: number): PlainField<number, false> =>
  plainField(label, {
    shown: '2h',
    isTime: true,
    example: '30m, 2h, 7d',
    read: ([first = '']) => readDuration(label, first, from, to),
    show: (value) => [showDuration(value)],
  });

/** A point in time, relative to now (`1h`) or in the person's time zone (`14:05`, `2026-03-01 14:05`). */
export const moment = (label: string): PlainField<Moment, false> =>
  plainField(label, {
    shown: '1h',
    isTime: true,
    example: '1h, 14:05, yesterday, 2026-03-01 14:05',
    read: (words) => readMoment(label, words.join(' ')),
    show: (value) => ('ago' in value ? [showDuration(value.ago)] : [value.clock]),
  });

/** The same field with one line that says what it means, in a form and in help. */
export const withHint = <F extends Field>(hint: string, field: F): F => ({ ...field, hint });

/** The same field, typed as `--name value` and optional. */
export function option<T>(field: PlainField<T>): PlainField<T, true> {
  return { ...field, place: 'option', optional: true };
}

/** The same field, optional but still typed as a word. */
export function optional<T>(field: PlainField<T>): PlainField<T, true> {
  return { ...field, optional: true };
}

type Plain<T> = Pick<PlainField<T>, 'read' | 'show'> & Partial<Omit<PlainField<T>, 'optional' | 'label'>>;

/** A plain field; by default one required word. */
export function plainField<T>(label: string, field: Plain<T>): PlainField<T, false> {
  return { kind: 'plain', label, place: 'word', optional: false, many: false, shown: label.toLowerCase(), ...field };
}

/** A plain field whose value is one word or several, shown unchanged. */
export const wordField = <T extends string | Args>(
  label: string,
  field: Omit<Plain<T>, 'show'>,
): PlainField<T, false> => plainField<T>(label, { ...field, show: (value: string | Args) => [value].flat() });

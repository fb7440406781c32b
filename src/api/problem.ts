import type { Offer, Refusal } from '../base/errors.ts';
import { catalogue } from '../commands/index.ts';
import type { KnownNames } from '../language/resolve.ts';
import { exactly, join } from '../language/tokenize.ts';
import { joined, plain, typedIn } from '../words/text.ts';
import { InFreeze } from '../access/freeze-words.ts';
import type { PipelineContext } from '../talk/context.ts';
import type { Ask } from '../talk/conversation.ts';
import type { Problem } from './schemas.ts';

/** What was wrong, as RFC 9457 says it. */

/** Thrown by what handles a request. */
export class ProblemError extends Error {
  readonly problem: Omit<Problem, 'request'>;
  readonly headers: Readonly<Record<string, string>>;

  constructor(problem: Omit<Problem, 'request'>, headers: Readonly<Record<string, string>> = {}) {
    super(problem.detail);
    this.problem = problem;
    this.headers = headers;
  }
}

const titles: Readonly<Record<number, string>> = {
  400: 'Bad request',
  401: 'Not authenticated',
  403: 'Not allowed',
  404: 'Not found',
  405: 'Not this method',
  409: 'Conflict',
  413: 'Too large',
  415: 'Not JSON',
  421: 'Not for this host',
  422: 'Not done',
  429: 'Too many requests',
  500: 'My fault',
  503: 'Not now',
};

type More = Omit<Problem, 'request' | 'title' | 'status' | 'detail' | 'type'> & { readonly type?: Problem['type'] };

export const problem = (
  status: number,
  detail: string,
  { type = 'about:blank', ...more }: More = {},
  headers: Readonly<Record<string, string>> = {},
): ProblemError => new ProblemError({ type, title: titles[status] ?? 'Problem', status, detail, ...more }, headers);

/** Only people wait in a queue, or hand a request on. */
const onlyForPeople: ReadonlySet<string> = new Set(['--queue', '--hand-on']);

/** How many lines that can be said instead are listed. */
const maxLines = 3;

/** What a button does, as a line; undefined: it opens an empty form, or is for people. Known ids become `names`. */
function lineOf({ args, opens }: Offer, names: KnownNames | undefined): string | undefined {
  if (args.some((word) => onlyForPeople.has(word)) || (opens && catalogue.has(args.join(' ')))) return undefined;
  const known = [...(names?.environments ?? []), ...(names?.domains ?? [])];
  const named = (id: string): string => known.find((one) => one.id === id)?.name ?? id;
  const words = args.map((word) => word.split(',').map(named).join(','));
  return join(words, exactly);
}

/** A refusal, in the words that a person would read. `names`: those that this person may see. */
export function refused(refusal: Refusal, names?: KnownNames): ProblemError {
  const { says, hint, offers, isLater, field } = refusal;
  const lines = [...offers.flatMap((offer) => lineOf(offer, names) ?? []), ...typedIn(hint)];
  return problem(isLater ? 503 : 422, plain(joined([says, hint])), {
    ...(refusal instanceof InFreeze && { type: '#frozen' }),
    ...(field !== undefined && { type: '#fields', fields: [{ field, says: plain(says), choices: [] }] }),
    ...(lines.length > 0 && { lines: [...new Set(lines)].slice(0, maxLines) }),
  });
}

/** How many names are offered for a field. */
const maxChoices = 50;

/** What a form would ask for. Only names that the caller and its person may see are offered. */
export function incomplete(context: Pick<PipelineContext, 'names'>, { resolved, person, says }: Ask): ProblemError {
  const { environments, domains } = context.names(person);
  const choicesOf = (name: string): string[] => {
    const kind = resolved.parsed.command.fields[name]?.kind;
    const known = kind === 'environment' ? environments : kind === 'domain' ? domains : [];
    return known.slice(0, maxChoices).map((one) => one.name);
  };
  // Of the reason, too, which is no field of a command.
  const whole = says?.field === 'reason' ? [{ field: says.field, refusal: says }] : [];
  const wrong = [...resolved.problems, ...whole].map(({ field, refusal }) => ({
    field,
    says: plain(joined([refusal.says, refusal.hint])),
    choices: choicesOf(field),
  }));
  const missing = resolved.missing.map((field) => ({ field, says: null, choices: choicesOf(field) }));
  const first = says
    ? plain(joined([says.says, says.hint]))
    : (wrong[0]?.says ?? 'Fields are missing. Nothing was done.');
  return problem(422, first, { type: '#fields', fields: [...wrong, ...missing] });
}

import { z } from 'zod';
import { errorMessage } from '../base/errors.ts';
import { readAtMost } from '../base/bounded-reads.ts';
import { maxPolicyBytes } from '../policy/load.ts';
import { type Mistake, YamlDocument } from '../policy/yaml-document.ts';

/** A file with expectations of the policy, in lists of questions: `allowed`, `approval`, `frozen`, `refused`, `unknown`. */

/** One expectation, with its place in the file. `expects`: `allowed`, `approval`, `approval by 2 of leads`, … */
export type Expectation = Pick<Mistake, 'line' | 'column'> & { readonly question: string; readonly expects: string };

type ReadResult =
  | { readonly kind: 'expectations'; readonly expectations: readonly Expectation[] }
  | { readonly kind: 'mistakes'; readonly mistakes: readonly Mistake[] };

const example = "a question, such as '@leads cache clear acme-shop/live'";
const question = z.string(`expected ${example}`).min(1, `expected ${example}`);
const questions = z.array(question, 'expected a list of questions').default([]);
/** Who must approve: `leads`, `2 of leads`, or several of these with `and` between. */
const approvers = z
  .record(question, z.string("expected who must approve, such as 'leads' or '2 of leads'"), `expected ${example}`)
  .refine((pairs) => Object.keys(pairs).length === 1, 'expected one question with its approvers');
const file = z.strictObject(
  {
    allowed: questions,
    approval: z
      .array(
        z.union([question, approvers], `expected ${example}, perhaps with its approvers`),
        'expected a list of questions, each perhaps with its approvers',
      )
      .default([]),
    frozen: questions,
    refused: questions,
    unknown: questions,
  },
  'expected the keys allowed, approval, frozen, refused and unknown, each with a list of questions',
);

/** Reads the file. Never rejects: a file that can't be read is a mistake too. */
export async function readExpectations(path: string): Promise<ReadResult> {
  const bytes = await readAtMost(path, maxPolicyBytes).catch(errorMessage);
  if (typeof bytes === 'string') return unusable(`the file cannot be read: ${bytes}`);
  if (bytes.length > maxPolicyBytes) return unusable(`the file is larger than ${maxPolicyBytes / 1024} KiB`);
  const document = new YamlDocument(Buffer.from(bytes).toString('utf8'));
  if (document.mistakes.length > 0) return refused(...document.mistakes);
  const read = file.safeParse(document.value);
  if (!read.success)
    return refused(...read.error.issues.map(({ path: at, message }) => ({ ...document.place(at), says: message })));
  const expectations = Object.entries(read.data).flatMap(([kind, all]) =>
    all.map((one, index): Expectation => ({ ...expectationOf(kind, one), ...document.place([kind, index]) })),
  );
  if (expectations.length === 0)
    return unusable('the file expects nothing: list questions under allowed, approval or refused');
  return { kind: 'expectations', expectations };
}

const refused = (...mistakes: readonly Mistake[]): ReadResult => ({ kind: 'mistakes', mistakes });
const unusable = (says: string): ReadResult => refused({ line: 1, column: 1, says });

function expectationOf(
  kind: string,
  one: string | Readonly<Record<string, string>>,
): Pick<Expectation, 'question' | 'expects'> {
  if (typeof one === 'string') return { question: one, expects: kind };
  const [[asked, by] = ['', '']] = Object.entries(one);
  const each = by.split(/\s+and\s+/).map((who) => {
    const [, count = '1', group] = /^\s*(?:(\d+)\s+of\s+)?(.*?)\s*$/s.exec(who) ?? [];
    return `${Number(count)} of ${group}`;
  });
  return { question: asked, expects: `${kind} by ${each.join(' and ')}` };
}

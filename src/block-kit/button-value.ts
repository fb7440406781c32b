import { attempt, notRecognised } from '../base/errors.ts';
import { decisionKinds, type DecisionKind, type Press, type ShownVersion } from '../change/buttons.ts';
import { join, split } from '../language/tokenize.ts';

/** What a button does, as the value that Slack sends back when it is pressed. */

/** The value of a button. `pressIn` reads it. */
export function buttonValue(press: Press): string {
  switch (press.kind) {
    case 'run':
    case 'form':
    case 'review':
      return join(press.args);
    case 'undo':
      return `${press.installation} ${press.number}`;
    case 'share':
    case 'file':
      return press.id;
    case 'page':
      return `${press.from} ${press.id}`;
    case 'checklist':
      return `${press.at} ${press.id}`;
    case 'call':
      return `${press.page}${press.of ? ` ${press.of.installation} ${press.of.number}` : ''}`;
    case 'note':
    case 'without':
    case 'decision':
      return `${press.installation} ${press.number} ${press.version} ${press.verdict}`;
  }
}

/** What the button of this kind and value does. Throws `Refusal` for one that is not ours. */
export function pressIn(kind: string, value: string): Press {
  const press = read(kind, value);
  if (press === undefined) throw notRecognised('button');
  return press;
}

function read(kind: string, value: string): Press | undefined {
  switch (kind) {
    case 'run':
    case 'form':
    case 'review': {
      const args = attempt(() => split(value).map(({ text }) => text));
      return args && { kind, args };
    }
    case 'undo': {
      const [, installation = '', number] = /^(\S+) (\d{1,15})$/.exec(value) ?? [];
      return number === undefined ? undefined : { kind, installation, number: Number(number) };
    }
    case 'share':
    case 'file':
      return { kind, id: value };
    case 'page': {
      const { at, id } = placeIn(value);
      return { kind, id, from: at };
    }
    case 'checklist':
      return { kind, ...placeIn(value) };
    case 'call': {
      const [, page, installation, number] = /^(\d{1,9})(?: (\S+) (\d{1,15}))?$/.exec(value) ?? [];
      const of = installation === undefined ? undefined : { installation, number: Number(number) };
      return page === undefined ? undefined : { kind, page: Number(page), of };
    }
    case 'note':
    case 'without':
    case 'decision':
      return decided(kind, decisionIn(value));
    default:
      return undefined;
  }
}

/** A place in what is kept under an id. */
function placeIn(value: string): { readonly at: number; readonly id: string } {
  const [at = '', id = ''] = value.split(' ');
  return { at: Number(at), id };
}

type Seen = ShownVersion & { readonly verdict: DecisionKind };

/** A change as it was seen, and what was decided about it; undefined: the value is of another button. */
export function decisionIn(value: string): Seen | undefined {
  const [, installation = '', number, version, said] = /^(\S+) (\d{1,15}) (\d{1,15}) (.+)$/.exec(value) ?? [];
  const verdict = decisionKinds.find((one) => one === said);
  return verdict && { installation, number: Number(number), version: Number(version), verdict };
}

/** Only approving has a note, and only going on leaves something out. */
function decided(kind: 'note' | 'without' | 'decision', seen: Seen | undefined): Press | undefined {
  if (seen === undefined) return undefined;
  const { verdict } = seen;
  if (kind === 'decision') return { kind, ...seen };
  if (kind === 'note') return verdict === 'approve' ? { kind, ...seen, verdict } : undefined;
  return verdict === 'go_on' ? { kind, ...seen, verdict } : undefined;
}

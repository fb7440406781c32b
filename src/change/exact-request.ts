import { glassMark, skippedInWords } from '../access/break-glass.ts';
import type { Json, Write } from '../hosting/contract/call.ts';
import { codeOf, unseen, code, say } from '../words/text.ts';
import { type Page, paragraph } from '../commands/kit/page.ts';
import type { Authorized } from '../access/access-check.ts';
import type { Sight } from '../access/sight.ts';
import { callOf, pinnedCardOf, type Pinned } from './pin.ts';
import { factLines } from './card.ts';
import { needsReview } from './confirmation.ts';

/**
 * What would be sent, as readable lines, and the dry run that shows it. Only line breaks, continuation marks and
 * character codes are added.
 */

/** The width at which lines are wrapped: phones are narrow. */
const width = 60;
/** Marks a wrapped line. In the request itself, the same character is followed by its code. */
const wrapMark = '↩';
const hidden = new RegExp(`${unseen.source}|\\s`, 'gv');
/** Right-to-left letters, which would reorder their neighbours. */
const rightToLeft = /[\u0590-\u08FF\uFB1D-\uFDFF\uFE70-\uFEFF\u{10800}-\u{10FFF}\u{1E800}-\u{1EFFF}]/gu;

/** Method, path and body. */
export const exactRequest = ({ method, path, body }: Write): readonly string[] =>
  exactLines([`${method} ${path}`, ...(body === undefined ? [] : laidOut(body))]);

/**
 * Lines in which every character is visible. Characters outside plain ASCII are followed by their code, except those in
 * `ours`.
 */
export function exactLines(lines: readonly string[], ours = ''): readonly string[] {
  // Up to eight characters in a row share their brackets.
  const notPlain = new RegExp(`[^\\x20-\\x7E${ours}]{1,8}`, 'gu');
  return lines.flatMap((line) => wrapped(spelled(line, notPlain)));
}

const spelled = (text: string, notPlain: RegExp): string =>
  text.replace(notPlain, (run) => {
    const shown = run.replace(hidden, '').replace(rightToLeft, '');
    return `${shown}⟨${Array.from(run, codeOf).join(' ')}⟩`;
  });

function wrapped(line: string): readonly string[] {
  if (line.length <= width) return [line];
  const lines: string[] = [];
  let from = 0;
  while (line.length - from > width) {
    const open = line.lastIndexOf('⟨', from + width);
    const close = line.indexOf('⟩', open);
    // Never break inside the brackets of a code or a surrogate pair.
    const end = open > from && close >= from + width ? open : from + width;
    const whole = end - Number(/[\uD800-\uDBFF]/.test(line.charAt(end - 1)));
    lines.push(line.slice(from, whole) + wrapMark);
    from = whole;
  }
  return [...lines, line.slice(from)];
}

/**
 * JSON exactly as `JSON.stringify` writes it, with long lists and objects split into one item per line. Joined without
 * line breaks, the lines give the same text.
 */
export function laidOut(value: Json): readonly string[] {
  const text = JSON.stringify(value);
  if (typeof value !== 'object' || value === null || text.length <= width) return [text];
  const isList = Array.isArray(value);
  const items = isList
    ? value.map((one: Json) => laidOut(one))
    : Object.entries(value).flatMap(([name, one]) => {
        const [first, ...rest] = one === undefined ? [] : laidOut(one);
        return first === undefined ? [] : [[`${JSON.stringify(name)}:${first}`, ...rest]];
      });
  const inside = items.flatMap((lines, index) => {
    return index < items.length - 1 ? [...lines.slice(0, -1), `${lines.at(-1) ?? ''},`] : lines;
  });
  return isList ? ['[', ...inside, ']'] : ['{', ...inside, '}'];
}

/** The page that shows the requester what would be sent. */
export function dryRun(pinned: Pinned): Page {
  const card = pinnedCardOf(pinned);
  const facts = [...card.facts, ...(pinned.leftOut ?? [])];
  const { breakGlass: skips } = pinned.authorization;
  const calls = (pinned.items ?? [pinned]).map(callOf);
  return {
    title: say`**Dry run: ${card.title}** · nothing was sent`,
    parts: [
      ...(skips ? [paragraph(say`${glassMark} It would be sent ${skippedInWords(skips)}.`)] : []),
      ...(card.warning ? [paragraph(card.warning)] : []),
      ...(facts.length > 0 ? [paragraph(factLines(facts))] : []),
      ...calls.map((call) =>
        call
          ? ({ kind: 'code', text: exactRequest(call).join('\n') } as const)
          : paragraph('Nothing has to be sent for it.'),
      ),
    ],
    source: say`fingerprint ${code(pinned.fingerprint.slice(0, 8))}; ${whatNext(pinned)}`,
  };
}

/** A dry run shows what the review of its command would. */
export function shownByDryRun({ parsed, target, alsoReads }: Authorized): Sight['shown'] {
  const changed = { path: parsed.path, targets: target ? [target] : alsoReads };
  return () => [changed, { path: undefined, targets: alsoReads }];
}

function whatNext(pinned: Pinned): string {
  const { authorization, action, items } = pinned;
  if (pinned.isHeld) return 'without --dry-run it is refused, because of the freeze';
  if (authorization.breakGlass) return 'a form asks you once more before it is sent';
  if (authorization.approval !== 'none') return 'without --dry-run it waits for approval';
  return items || needsReview(action, pinned)
    ? 'a form asks you once more before it is sent'
    : pinned.parsed.when
      ? 'without --dry-run it waits for its time'
      : 'without --dry-run it is sent at once';
}

import type { MaskingRule } from '../rule.ts';
import { blockOpens, nameEnd } from '../syntax.ts';
import { isTelling, keys, passwords, credentialNames, suffix, tellingNames } from '../credential-names.ts';

/** YAML blocks: `password: |`, with the value on the following lines, indented more than the name. */

const opens = new RegExp(`^(?<in>[ +]?\\s{0,60}(?:- )?)["']?(?<name>[\\w.-]{1,80})["']?:[ \\t]{1,4}${blockOpens}\\s*$`);
/** A name on the line before: `- name: DB_PASSWORD`. */
const names = /["']?(?:name|key)["']?: {1,4}["']?([\w.-]{1,80})["']?\s*$/;
const inOf = (line: string): number => line.length - line.replace(/^\+/, ' ').trimStart().length;

/** The indentation of the name, if this line starts a block that holds a credential. */
export function beginsValue(line: string, before: string): number | undefined {
  // A cheap check first: most lines need no expression.
  if (!/[|>]/.test(line)) return undefined;
  const { in: room, name = '' } = opens.exec(line)?.groups ?? {};
  if (room === undefined) return undefined;
  const isMeant = isTelling(name) || (name === 'value' && isTelling(names.exec(before)?.[1] ?? ''));
  return isMeant ? room.length : undefined;
}

/** The masked line of such a block; undefined if the block has ended. */
export function lineOfBlock(line: string, least: number): string | undefined {
  if (line.trim() === '') return line;
  const room = inOf(line);
  return room > least ? `${line.slice(0, room)}***` : undefined;
}

/** Masks the lines of a text in order. */
function shown(match: string): string {
  let before = '';
  let room: number | undefined;
  return match
    .split('\n')
    .map((line) => {
      const left = room === undefined ? undefined : lineOfBlock(line, room);
      if (left !== undefined) return left;
      room = beginsValue(line.slice(0, 200), before);
      before = line.slice(0, 200);
      return line;
    })
    .join('\n');
}

export const yamlBlocksOf = (hint: string): readonly MaskingRule[] => [
  {
    hint,
    also: ': \\||  \\||: >|  >',
    shape: new RegExp(`^(?:[^\\n]{0,200}\\n)?[^\\n]{1,200}: {1,4}${blockOpens}[ \\t]{0,4}\\n[^]*`, 'gm'),
    shown,
  },
  {
    // In JSON, where `\n` ends a line.
    hint,
    also: ': \\||  \\||: >|  >',
    begins: tellingNames,
    shape: new RegExp(
      `(?<before>(?:${passwords}|${credentialNames}|${keys})${suffix}${nameEnd}:[ \\t]{1,4}[|>][-+\\d]{0,2}\\\\{1,4}n[ \\t]{1,60})[^"\\\\\\n]{1,300}`,
      'gi',
    ),
  },
];

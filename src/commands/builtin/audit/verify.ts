import { bold, code, joined, say, time, type Text } from '../../../text.ts';
import { builtin } from '../../kit/builtin.ts';
import type { Finding, TrailGap } from '../../kit/audit.ts';
import { counted, type Page } from '../../kit/page.ts';

const shownDigits = 16;
const maxGaps = 5;

/** So much of a hash as people compare; the id of its key is no part of it. */
export const shortHash = (hash: string): string =>
  hash.slice(hash.indexOf(':') + 1, hash.indexOf(':') + 1 + shownDigits);

export const auditVerify = builtin({
  summary: 'Check that no line of the audit trail was altered or removed',
  button: 'Verify the trail',
  right: 'named',
  fields: {},
  answer: async ({ queryService }) => findingPage(await queryService.verify()),
});

/** What verifying showed: one sentence, then how far it can be relied on. */
export function findingPage(finding: Finding): Page {
  const says = [
    verdictOf(finding),
    ...gapsOf(finding),
    headOf(finding),
    toldOf(finding),
    keyOf(finding),
    sealOf(finding),
  ];
  const [title = [], ...rest] = says.filter((text) => text.length > 0);
  return { title, parts: rest.map((text) => ({ kind: 'text', text })) };
}

function verdictOf({ verdict, since }: Finding): Text {
  if (verdict.kind === 'altered') {
    return say`⚠️ **The audit trail was altered: line ${verdict.seq} is wrong.** ${capital(verdict.why)}.`;
  }
  if (verdict.kind === 'unproven') {
    const [first, ...more] = verdict.gaps.map(gapInWords);
    const others = more.length > 0 ? say`, and ${counted(more.length, 'finding')} more` : '';
    return say`⚠️ **The audit trail is not provable: ${first}**${others}. No line of it is known to be wrong.`;
  }
  if (verdict.lines === 0) return say`**The audit trail has no line yet.**`;
  const all = verdict.lines === 1 ? 'The one line' : `All ${counted(verdict.lines, 'line')}`;
  return say`**${all} of the audit trail ${verdict.lines === 1 ? 'is' : 'are'} unaltered**${since === undefined ? '' : say` since ${time(since, 'date')}`}.`;
}

/** What cannot be proven, without a full stop. */
function gapInWords({ from, to, why, key = '' }: TrailGap): string {
  const lines = from === to ? `line ${from}` : `lines ${from}–${to}`;
  const are = from === to ? 'is' : 'are';
  switch (why) {
    case 'no key':
      return `${lines} ${are} not keyed, though a key is set`;
    case 'unknown key':
      return `${lines} ${are} keyed with ${key}, which is not among the keys at hand`;
    case 'former key':
      return `${lines} ${are} keyed with the former key ${key}, and no line of the new one follows`;
    case 'replaced key':
      return `${lines} ${are} keyed with ${key} after that key had been replaced`;
    case 'unknown seal':
      return `${lines} ${are} sealed with ${key}, which is not among the keys at hand`;
    case 'not filed':
      return `${lines} ${are} found under no target, though one is named there`;
    case 'never told':
      return 'it goes back for more than a day, and no head of it is on record';
    case 'no line':
      return 'it has no line, though this database is more than a day old';
  }
}

const isYours = say`If it is a key of yours, put it into ${code('AUDIT_KEYS_FORMER')}. If it never was, somebody else wrote them.`;
/** What each of them means, and what to do. */
const meaning: Readonly<Record<TrailGap['why'], Text>> = {
  'no key': say`If Sitehand has not been started with ${code('AUDIT_KEY')} yet, its next start seals them. If it has, somebody wrote them anew without the key.`,
  'unknown key': isYours,
  'unknown seal': isYours,
  'former key': say`If Sitehand has not been started with the new ${code('AUDIT_KEY')} yet, its next start seals them. If it has, somebody wrote them with the former one.`,
  'replaced key': say`Either a replica still ran with it, or somebody who has it wrote them. A key that was replaced is never set again: make a new one.`,
  'not filed': say`${code('audit site/environment')} does not show them. If an older Sitehand ran beside this one, it wrote them so. If none did, somebody has hidden them there.`,
  'never told': say`One is told once a day while Sitehand runs: if it has only been stopped, its next start tells one. If not, somebody may have removed it, with lines at the end of the trail.`,
  'no line': say`The first line is written when Sitehand is first started: if it ever was, on this database, somebody has removed them all.`,
};

function gapsOf({ verdict }: Finding): readonly Text[] {
  if (verdict.kind !== 'unproven') return [];
  const shown = verdict.gaps.slice(0, maxGaps);
  return [
    ...shown.slice(1).map((gap) => say`${capital(gapInWords(gap))}.`),
    ...new Set(shown.map(({ why }) => meaning[why])),
    say`Before you start or change anything, compare its newest line with the heads that stand in the ops channel and in the log.`,
  ];
}

const headOf = ({ verdict }: Finding): Text =>
  verdict.kind !== 'altered' && verdict.lines > 0
    ? say`The newest is line ${verdict.head.seq}, ${code(shortHash(verdict.head.hash))}.`
    : [];

function toldOf({ verdict, witnessed }: Finding): Text {
  const compare = say`Compare it with what stands in the ops channel and in the log: the database alone proves nothing about its own end.`;
  if (witnessed === undefined)
    return say`No head of it was told to the ops channel yet; lines cut off at its end would not show.`;
  const line = say`line ${witnessed.seq}, ${code(shortHash(witnessed.hash))}, on ${time(witnessed.at, 'date')}`;
  return verdict.kind === 'altered'
    ? joined([say`The head that was told last: ${line}.`, compare])
    : joined([say`The head that was told last is in it: ${line}.`, compare]);
}

const keyOf = ({ key }: Finding): Text =>
  key === undefined
    ? say`The chain is ${bold('a plain hash')}: it shows accidents, and not what somebody who can write the database has written anew from some line on. ${code('AUDIT_KEY')} closes that.`
    : say`The chain is keyed (${code(key)}): whoever can write the database, and has no ${code('AUDIT_KEY')}, cannot forge a line.`;

function sealOf({ verdict }: Finding): Text {
  if (verdict.kind !== 'proven' || verdict.seal === undefined) return [];
  const { seq, at } = verdict.seal;
  const [before, are] = seq === 2 ? ['Line 1', 'is'] : [`Lines 1–${seq - 1}`, 'are'];
  return say`${before} ${are} from before there was a key, and unchanged since line ${seq} sealed them on ${time(at, 'date')}. If there was a key before that day, somebody wrote them anew.`;
}

const capital = (clause: string): string => clause.charAt(0).toUpperCase() + clause.slice(1);

import { bold, code, inline, joined, say, time, type Text } from '../../../text.ts';
import { desk, type Finding } from '../../desk.ts';
import { counted, type Page } from '../../page.ts';

const digits = 16;

export const auditVerify = desk({
  summary: 'Check that no line of the audit trail was altered or removed',
  button: 'Verify the trail',
  right: 'named',
  fields: {},
  answer: async ({ office }) => findingPage(await office.verify()),
});

/** What verifying showed: one sentence, then how far it can be relied on. */
export function findingPage(finding: Finding): Page {
  const says = [verdictOf(finding), headOf(finding), toldOf(finding), sealOf(finding)];
  const [title = [], ...rest] = says.filter((text) => text.length > 0);
  return { title, parts: rest.map((text) => ({ kind: 'text', text })) };
}

function verdictOf({ verdict, since }: Finding): Text {
  if (!verdict.ok) {
    return say`⚠️ **The audit trail was altered: line ${verdict.seq} is wrong.** ${capital(verdict.why)}. The lines before it are as they were written.`;
  }
  if (verdict.lines === 0) return say`**The audit trail has no line yet.**`;
  const all = verdict.lines === 1 ? 'The one line' : `All ${counted(verdict.lines, 'line')}`;
  return say`**${all} of the audit trail ${verdict.lines === 1 ? 'is' : 'are'} unaltered**${since === undefined ? '' : say` since ${time(since, 'date')}`}.`;
}

const headOf = ({ verdict }: Finding): Text =>
  verdict.ok && verdict.lines > 0
    ? say`The newest is line ${verdict.head.seq}, ${code(verdict.head.hash.slice(0, digits))}.`
    : [];

function toldOf({ verdict, witnessed }: Finding): Text {
  const compare = say`Compare it with what stands in the ops channel and in the log: the database alone proves nothing about its own end.`;
  if (witnessed === undefined)
    return say`No head of it was told to the ops channel yet; lines cut off at its end would not show.`;
  const line = say`line ${witnessed.seq}, ${code(witnessed.hash.slice(0, digits))}, on ${time(witnessed.at, 'date')}`;
  return verdict.ok
    ? joined([say`The head that was told last is in it: ${line}.`, compare])
    : joined([say`The head that was told last: ${line}.`, compare]);
}

function sealOf({ verdict, keyed }: Finding): Text {
  if (!keyed) {
    return say`The chain is ${bold('a plain hash')}: it shows accidents, and not what somebody who can write the database has written anew from some line on. ${code('AUDIT_KEY')} closes that.`;
  }
  const unkeyed = verdict.ok ? verdict.unkeyed : 0;
  return joined([
    say`The chain is keyed: whoever can write the database, and has no ${code('AUDIT_KEY')}, cannot forge a line.`,
    unkeyed > 0
      ? inline(
          `The first ${counted(unkeyed, 'line')} are from before there was a key, and protected only by a head that was told.`,
        )
      : undefined,
  ]);
}

const capital = (clause: string): string => clause.charAt(0).toUpperCase() + clause.slice(1);

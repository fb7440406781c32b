import { readFileSync } from 'node:fs';
import { isMap, isSeq, parseDocument, type Document } from 'yaml';
import { examplePolicyFile } from '../../base/beside.ts';
import type { ListedMember } from '../../slack-api/workspace-list.ts';

/** The people and user groups that the first rules name. */
export type Roles = {
  /** At least one. They approve, and may pause and read the audit trail. */
  readonly leads: readonly ListedMember[];
  readonly developers: readonly ListedMember[];
  /** The channel that gets faults and unknown outcomes. */
  readonly ops: string | undefined;
};

/** The text of a first policy file: the rules of `policy.example.yml` with the ids of these people and groups. */
export function firstPolicy(roles: Roles): string {
  const { leads, developers, ops } = roles;
  const isAlone = whoApproves(roles) === 'nobody';
  // Its first paragraph is about the example itself.
  const text = readFileSync(examplePolicyFile, 'utf8').replace(/^[^]*?\n\n/, isAlone ? header + missing : header);
  const file = parseDocument(text);
  // They name people, sites and channels of the example.
  for (const key of ['people', 'sets', 'checks', 'environments', 'sites']) file.delete(key);
  file.set('groups', file.createNode({}));
  file.setIn(['groups', 'developers'], membersIn(file, developers));
  file.setIn(['groups', 'leads'], membersIn(file, leads));
  file.set('channels', file.createNode({ ops: ops ?? 'C…' }));
  const rules = file.get('rules');
  if (isAlone && isSeq(rules)) rules.items = rules.items.filter((rule) => !isMap(rule) || !rule.has('approval'));
  const written = file.toString({ lineWidth: 0, singleQuote: true, flowCollectionPadding: false });
  return ops === undefined
    ? written.replace(/^channels:\n  ops: .*$/m, (lines) => lines.replaceAll(/^/gm, '# '))
    : written;
}

const header = '# Who may do what, where. `sitehand policy check` names every mistake in this file.\n#\n';
const missing =
  '# Nobody could approve yet, so the rules with an `approval` are not here. They are in policy.example.yml.\n#\n';

/**
 * Whether the rules' approvals can be given. Nobody approves their own change, so one person alone can't; one lead can
 * approve those of others. A user group may have several people.
 */
export function whoApproves({ leads, developers }: Omit<Roles, 'ops'>): 'several' | 'one' | 'nobody' {
  const isOne = (members: readonly ListedMember[]): boolean =>
    new Set(members.map(({ id }) => id)).size === 1 && !members.some(({ id }) => id.startsWith('S'));
  if (!isOne(leads)) return 'several';
  return isOne([...leads, ...developers]) ? 'nobody' : 'one';
}

function membersIn(file: Document, members: readonly ListedMember[]) {
  const list = file.createNode(members.map(({ id }) => id));
  for (const [at, { name }] of members.entries()) {
    const id = list.get(at, true);
    if (id && name) id.comment = ` ${name}`;
  }
  return list;
}

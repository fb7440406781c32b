import { rights } from '../../commands/rights.ts';
import { errorMessage } from '../../base/errors.ts';
import { unusableOps } from '../../post/ops-channel-health.ts';
import { memberShape } from '../../policy/schema.ts';
import { channelShape } from '../../policy/shapes.ts';
import { loadPolicy } from '../../policy/load.ts';
import { createChannelLook } from '../../slack-api/channel-access.ts';
import { listPeople, listUserGroups, type ListedMember, type MemberList } from '../../slack-api/workspace-list.ts';
import type { Bot } from '../../slack-api/app-checks.ts';
import { plain } from '../../words/text.ts';
import { botClient } from './connections.ts';
import { type Prompts, Stopped, mustBeIds, splitIds } from './prompts.ts';
import type { Job } from './job.ts';
import { readFileSync } from 'node:fs';
import { isMap, isSeq, parseDocument, type Document } from 'yaml';
import { examplePolicyFile } from '../../base/beside.ts';

/** Lists people and groups, asks who may do what, and makes the policy's text. `bot` undefined: Slack did not answer. */
export async function obtainPolicy(job: Job, bot: Bot | undefined): Promise<string> {
  const { options, prompts, tell } = job;
  const lists = await listsOf(job, bot);
  const isAsked = prompts !== undefined && options.leads.length === 0;
  const leads = isAsked ? await chooseMembers(prompts, lists, leadsQuestion, 1) : options.leads;
  const developers =
    isAsked && options.developers.length === 0
      ? await chooseMembers(prompts, lists, developersQuestion, 0)
      : options.developers;
  const ops = await obtainOps(job, isAsked);
  const roles = { leads: membersOf(lists, leads), developers: membersOf(lists, developers), ops };
  const who = whoApproves(roles);
  const breaksGlass = isAsked && who !== 'several' && (await prompts.confirm(glassQuestion));
  const text = firstPolicy({ ...roles, breaksGlass });
  const read = loadPolicy(text, rights);
  if (read.kind === 'policy') {
    const warning = breaksGlass && who === 'nobody' ? undefined : warnings[who];
    if (warning !== undefined) tell(warning);
    return text;
  }
  const mistakes = read.mistakes.map(({ says }) => says).join('; ');
  throw new Stopped(`The rules would have mistakes: ${mistakes}.`, 'wrong');
}

const leadsQuestion = 'Who are the leads? Choose yourself and at least one other: they approve changes to live';
const developersQuestion = 'Who are the developers? What is routine they do alone; other changes to live need a lead';

const warnings = {
  several: undefined,
  one: 'There is only one lead: nobody can approve what that person asks for, or anything while they are away. Add a second one to the policy.',
  nobody:
    'There is only one person, and nobody approves their own change. So on live sites only what is routine can be changed. Run setup again with a second lead.',
} as const;

const glassQuestion =
  'Only one person may approve. Let whoever has nobody to ask use --break-glass? It sends at once, and stays not reviewed, with a weekly reminder, until the policy names somebody else. What is destructive on live, such as a push, stays impossible alone. Without it, on live they change only what is routine.';

/** The id of the channel that was given, or is asked for; undefined: none. Whatever Slack says of it, it may be kept. */
async function obtainOps(job: Job, isAsked: boolean): Promise<string | undefined> {
  const { options, prompts, tell } = job;
  let id = options.ops;
  for (;;) {
    if (isAsked) id ??= await prompts?.ask('Id of the channel for faults and unknown outcomes (C…), or nothing');
    if (!id) return undefined;
    const isShaped = channelShape.test(id);
    if (!isShaped && !isAsked) throw new Stopped(`--ops-channel ${mustBeChannel}`, 'wrong');
    const trouble = isShaped ? await channelTrouble(job, id) : `It ${mustBeChannel}`;
    if (trouble !== undefined) tell(trouble);
    if (trouble === undefined || !isAsked || (isShaped && (await prompts?.confirm(`Keep ${id}?`)))) return id;
    id = undefined;
  }
}
const mustBeChannel = 'must be the id of a channel, C… or G…, which Slack shows at the end of the channel details.';

/** What Slack says against this channel; undefined: nothing. */
async function channelTrouble({ settings, tell }: Job, id: string): Promise<string | undefined> {
  try {
    const look = await createChannelLook({ client: botClient(settings), onToken: () => undefined })(id);
    const unusable = unusableOps(id, look);
    const perhaps = look.kind === 'hidden' ? ' It may be private, and I am not in it.' : '';
    if (unusable) return `${plain(unusable.says)}${perhaps}`;
    if (look.kind === 'seen') tell(`Channel ${id}: Slack shows it${look.member ? '' : ", and I'm not in it yet"}.`);
    else tell(`Channel ${id}: Slack doesn't let me see channels, so it wasn't checked.`);
  } catch (error) {
    tell(`Channel ${id}: no answer from Slack (${errorMessage(error)}), so it wasn't checked.`);
  }
  return undefined;
}

type Lists = { readonly people: MemberList; readonly groups: MemberList };

async function listsOf({ settings, tell }: Job, bot: Bot | undefined): Promise<Lists> {
  const client = botClient(settings);
  const unasked: MemberList = { members: [], why: 'it has not said who I am' };
  const [people, groups] = bot
    ? await Promise.all([listPeople(client, bot), listUserGroups(client)])
    : [unasked, unasked];
  if (people.why) tell(`Slack doesn't list everybody (${people.why}). Others can be named by their ids.`);
  if (groups.why) tell(`Slack doesn't list all its user groups (${groups.why}). Others can be named by their ids.`);
  return { people, groups };
}

/** Resolves with ids. If nothing is listed, ids are typed. */
async function chooseMembers(
  prompts: Prompts,
  lists: Lists,
  question: string,
  least: 0 | 1,
): Promise<readonly string[]> {
  const listed = [...lists.people.members, ...lists.groups.members];
  if (listed.length > 0) {
    const chosen = await prompts.chooseMembers(question, listed, least);
    const names = listed.filter(({ id }) => chosen.includes(id)).map(({ name }) => name);
    prompts.tell(names.length > 0 ? `${names.join(', ')}.` : 'Nobody.');
    return chosen;
  }
  for (;;) {
    const ids = splitIds(await prompts.ask(`${question} (ids, with commas)`));
    if (ids.length >= least && ids.every((id) => memberShape.test(id))) return ids;
    prompts.tell(`These ${mustBeIds}`);
  }
}

/** These ids with their names. If the list is complete, an id that it lacks belongs to nobody who may use Sitehand. */
function membersOf({ people, groups }: Lists, ids: readonly string[]): readonly ListedMember[] {
  return ids.map((id) => {
    const list = id.startsWith('S') ? groups : people;
    const found = list.members.find((one) => one.id === id);
    if (found === undefined && list.why === undefined) {
      const who = id.startsWith('S')
        ? 'a Slack user group in use'
        : 'a member of this workspace (guests and bots are not)';
      throw new Stopped(`${id.slice(0, maxId)} is not ${who}.`, 'wrong');
    }
    return found ?? { id, name: '' };
  });
}
const maxId = 30;

/** The people and user groups that the first rules name. */
type Roles = {
  /** At least one. They approve, and may pause and read the audit trail. */
  readonly leads: readonly ListedMember[];
  readonly developers: readonly ListedMember[];
  /** The channel that gets faults and unknown outcomes. */
  readonly ops: string | undefined;
  /** Whether whoever has nobody else to ask may skip an approval. */
  readonly breaksGlass?: boolean;
};

/** The text of a first policy file: the rules of `policy.example.yml` with the ids of these people and groups. */
export function firstPolicy(roles: Roles): string {
  const { leads, developers, ops, breaksGlass = false } = roles;
  const isAlone = whoApproves(roles) === 'nobody' && !breaksGlass;
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
  const approved = isSeq(rules) ? rules.items.filter((rule) => isMap(rule) && rule.has('approval')) : [];
  if (isAlone && isSeq(rules)) rules.items = rules.items.filter((rule) => !approved.includes(rule));
  if (breaksGlass) for (const rule of approved) if (isMap(rule)) rule.set('breakGlass', 'alone');
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
export function whoApproves({ leads, developers }: Pick<Roles, 'leads' | 'developers'>): 'several' | 'one' | 'nobody' {
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

import { z } from 'zod';
import { showDuration, hourMs } from '../words/duration.ts';
import { approvalShape, expectedApproval } from './approval-schema.ts';
import { checks } from './checks.ts';
import { freezesShape } from './freezes-shape.ts';
import { quoted } from './yaml-document.ts';
import { isNamedLive, liveByDefault, defaultBatchValidityMs, isWrite } from './rules.ts';
import { comparableName, readGlob } from './pattern.ts';
import {
  audienceAmong,
  callersShape,
  channelId,
  commandAmong,
  durationUpTo,
  fields,
  listShape,
  parsedText,
  personId,
  refuse,
  filledList,
  inputError,
  target,
  type Context,
  type RuleNames,
} from './shapes.ts';

/**
 * The shape of the policy file; `policy.schema.json` is generated from it. If a message begins with `expected`, what
 * the file has instead is added. The message for an unknown key lists the known keys.
 */

const maxInSet = 200;
const maxBatchValidityMs = 2 * hourMs;

/** Ids of channels, and of people and Slack user groups. */
export const memberShape = /^[UWS][A-Z0-9]{2,20}$/;
const channelKeyShape = /^([CG][A-Z0-9]{2,20}|deny|ops)$/;
const groupNameShape = /^(?!everyone$)[a-z0-9_-]{1,40}$/;
const nameShape = /^(?! )[^\p{Cc}\p{Cf}\p{Cs}/*]{1,100}(?<! )$/u;
const uuidShape = /^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$/;

const groupName = z.string().regex(groupNameShape, {
  error: ({ input }) =>
    input === 'everyone'
      ? '"everyone" already means everyone; give this group another name'
      : `${quoted(String(input))} cannot name a group; use small letters a to z, digits, - and _, 40 at most`,
});
const member = z
  .string('expected a Slack id')
  .regex(memberShape, inputError('is not a Slack id: U… or W… for a person, S… for a user group; never a name'));
const groups = z.record(
  groupName,
  listShape(member, 'Slack ids'),
  'expected names of groups, each with a list of Slack ids',
);

const people = z
  .record(z.string(), listShape(personId, 'Slack ids'), 'expected names of people, each with a list of their Slack ids')
  .superRefine((all, ctx) => {
    const owners = new Map<string, string>();
    for (const [name, ids] of Object.entries(all))
      for (const [index, id] of ids.entries()) {
        const owner = owners.get(id) ?? name;
        if (owner !== name) refuse(ctx, [name, index], `${id} already belongs to another person`);
        owners.set(id, owner);
      }
  });

const environmentPattern = target.superRefine(({ text, pattern }, ctx) => {
  if (pattern.kind !== 'environment') ctx.addIssue(`${quoted(text)} is not an environment; expected site/environment`);
});
const live = filledList(environmentPattern, 'environments, like ["*/live"]');
const setName = z
  .string()
  .regex(/^[a-z0-9_-]{1,40}$/, inputError('cannot name a set; use small letters a to z, digits, - and _, 40 at most'));
const sets = z.record(
  setName,
  filledList(environmentPattern, 'environments, like ["acme-*/live"]').max(
    maxInSet,
    `a set has at most ${maxInSet} entries`,
  ),
  'expected names of sets, each with a list of environments',
);

const breakGlass = z
  .union([z.boolean(), z.literal('alone')], 'expected true, false or alone')
  .optional()
  .describe(
    'Whether these people may skip approval and freezes in an emergency, to be reviewed afterwards; alone: although nobody else could approve',
  );

const canary = z
  .boolean('expected true or false')
  .optional()
  .describe('Whether a batch sends to one environment first, and goes on once its site is known to be well');

function ruleOf(known: RuleNames) {
  const audience = audienceAmong([...known.groups.keys()]);
  const what = filledList(commandAmong(known.catalogue), 'commands or classes').optional();
  const rule = {
    allow: what.describe('What the rule allows: classes, or commands by name'),
    deny: what.describe('What the rule denies, whatever others allow: classes, or commands by name'),
    to: z
      .union(
        [z.literal('everyone'), audienceAmong([...known.groups.keys(), ...known.callers])],
        'expected everyone, or a list of groups like [leads]',
      )
      .describe('everyone, or a list of groups and of callers (caller:NAME)'),
    where: filledList(target, 'targets, like ["acme-shop/*"]')
      .optional()
      .describe('site/environment, domain:example.com, domain:*.example.com or company; left out: everywhere'),
    approval: z
      .union([z.literal('none'), approvalShape(audience)], `expected "none" or ${expectedApproval}`)
      .optional()
      .describe('Who must approve before anything is sent; none: nobody'),
    canary,
    batchValidity: durationUpTo(maxBatchValidityMs)
      .optional()
      .describe(
        `How long a batch may begin changes after its start: ${showDuration(maxBatchValidityMs)} at most; left out: ${showDuration(defaultBatchValidityMs)}`,
      ),
    breakGlass,
  };
  return fields(rule, 'a rule: allow or deny, to, where, approval, canary, batchValidity, breakGlass')
    .refine(({ allow, deny }) => (allow === undefined) !== (deny === undefined), {
      error: 'a rule has either "allow" or "deny"',
      // Also checks a rule that has other mistakes.
      when: ({ value }) => typeof value === 'object' && value !== null,
    })
    .superRefine((written, ctx) => {
      if (written.approval !== undefined) refuseApproval(written, known, ctx);
      if (written.breakGlass) refuseBreakGlass(written, known, ctx);
      if (written.deny) refuseDeny(written, known, ctx);
    })
    .meta({ oneOf: [{ required: ['allow'] }, { required: ['deny'], not: { required: ['approval'] } }] });
}

type RuleInput = {
  readonly allow?: readonly string[] | undefined;
  readonly deny?: readonly string[] | undefined;
  readonly approval?: unknown;
};

/** Refuses an approval that would never be asked for. */
function refuseApproval({ allow = [], deny, approval }: RuleInput, known: RuleNames, ctx: Context): void {
  const report = reportIn(allow, known);
  if (deny) refuse(ctx, ['approval'], 'only a rule that allows can ask for approval');
  else if (report !== undefined && approval !== 'none')
    refuse(ctx, ['approval'], `"${report}" changes no site and cannot wait for approval; give it its own rule`);
}

/** The first of these names that changes no site. */
const reportIn = (names: readonly string[], { catalogue }: RuleNames): string | undefined =>
  ['read', ...catalogue.filter((one) => !isWrite(one)).map(({ path }) => path)].find((name) => names.includes(name));

/** Refuses to skip an approval that is never asked for. */
function refuseBreakGlass({ allow = [] }: RuleInput, known: RuleNames, ctx: Context): void {
  const report = reportIn(allow, known);
  if (report !== undefined)
    refuse(ctx, ['breakGlass'], `"${report}" changes no site and needs no approval; give it its own rule`);
}

type DenyInput = {
  readonly to: 'everyone' | readonly string[];
  readonly canary?: boolean | undefined;
  readonly batchValidity?: unknown;
  readonly breakGlass?: unknown;
};

/** Refuses what has no effect where a rule denies. An empty group looks like protection. */
function refuseDeny({ to, canary, batchValidity, breakGlass }: DenyInput, { groups }: RuleNames, ctx: Context): void {
  if (breakGlass) refuse(ctx, ['breakGlass'], 'only a rule that allows can let somebody skip an approval');
  if (canary) refuse(ctx, ['canary'], 'only a rule that allows can ask for a canary');
  if (batchValidity !== undefined)
    refuse(ctx, ['batchValidity'], 'only a rule that allows can say how long a batch is valid');
  if (to === 'everyone') return;
  for (const [index, name] of to.entries())
    if (groups.get(name) === 0) refuse(ctx, ['to', index], `the group ${quoted(name)} is empty: this denies nobody`);
}

const site = parsedText(z.string('expected the name of a site'), (text) => {
  if (text.includes('/')) return `${quoted(text)} names an environment; a channel is bound to whole sites`;
  const glob = readGlob(text);
  return typeof glob === 'string' ? `${quoted(text)} is not a site: ${glob}` : glob;
});
const channelBounds = fields(
  { sites: filledList(site, 'sites, like ["acme-*"]').optional(), cards: channelId.optional() },
  '{ sites, cards }',
);
const anyMapping = z.record(z.string(), z.unknown());
const channels = z.preprocess(
  (given, ctx) => {
    for (const key of Object.keys(anyMapping.safeParse(given).data ?? {}))
      if (!channelKeyShape.test(key))
        refuse(ctx, [key], `${quoted(key)} is neither the id of a channel (C… or G…) nor deny nor ops`);
    return given;
  },
  z
    .object(
      { deny: listShape(channelId, 'channel ids').default([]), ops: channelId.optional() },
      'expected ids of channels, and deny and ops',
    )
    .catchall(channelBounds)
    .superRefine(({ deny, ops, ...bounds }, ctx) => {
      const posts = Object.entries(bounds).map(([id, { cards }]) => ({ path: [id, 'cards'], id: cards }));
      for (const { path, id } of [...posts, { path: ['ops'], id: ops }])
        if (id !== undefined && deny.includes(id)) refuse(ctx, path, `${id} is denied, so nothing can be posted there`);
    })
    .meta({ propertyNames: { pattern: channelKeyShape.source } }),
);

const uuid = inputError('is not the id of a site or environment; expected a UUID');
const targetId = z.string().regex(uuidShape, uuid);
const environmentId = z.string('expected the id of an environment').regex(uuidShape, uuid).toLowerCase();
const name = z.string('expected a name').regex(nameShape, inputError('cannot be a name'));

/** Overrides by target id. `namesOf`: the names that one override takes, each with its path. */
function overrides<T extends z.ZodType>(one: T, expected: string, namesOf: (one: z.output<T>) => readonly TakenName[]) {
  return z.record(targetId, one, `expected ${expected}`).superRefine((all, ctx) => {
    const taken = new Set<string>();
    for (const [id, override] of Object.entries(all))
      for (const { name, path = [] } of [...namesOf(override), { name: id.toLowerCase() }]) {
        if (taken.has(name)) refuse(ctx, [id, ...path], `${quoted(name)} is listed twice`);
        taken.add(name);
      }
  });
}
type TakenName = { readonly name: string; readonly path?: readonly PropertyKey[] };

const environments = overrides(
  fields({ site: name, name, live: z.boolean('expected true or false').optional() }, '{ site, name, live }'),
  'ids of environments, each with its site and name',
  ({ site, name }) => [{ name: `${comparableName(site)}/${comparableName(name)}` }],
);
const sites = overrides(
  fields({ name, environments: listShape(environmentId, 'environment ids').default([]) }, '{ name, environments }'),
  'ids of sites, each with its name and environments',
  ({ name, environments }) => [
    ...environments.map((id, index) => ({ name: id, path: ['environments', index] })),
    { name: comparableName(name) },
  ],
);

export type PolicySettings = z.output<ReturnType<typeof policyFile>>;

/** The whole file. */
export const policyFile = (known: RuleNames) =>
  fields(
    {
      version: z.literal(1, 'expected the number 1'),
      live: live.prefault(liveByDefault).describe('What counts as live'),
      groups: groups.default({}).describe('Slack ids of people (U… or W…) and of user groups (S…)'),
      people: people.default({}).describe('One person with several accounts'),
      callers: callersShape(known.groups).default({}).describe('Programs that may ask, each for a person'),
      sets: sets.default({}).describe('Environments to be named together, as set:NAME'),
      rules: listShape(ruleOf(known), 'rules'),
      freezes: freezesShape(known, approvalShape(audienceAmong([...known.groups.keys()])))
        .default([])
        .describe('Times in which changes are held, whatever rules allow'),
      channels: channels.prefault({}).describe('Where which sites may be discussed, and where reports go'),
      checks: checks.default([]).describe('What the pages of sites have to show, or off'),
      environments: environments.default({}).describe('Names of environments that the hosting API does not give'),
      sites: sites.default({}).describe('Names of sites that the hosting API does not give'),
    },
    'version, groups and rules',
  ).superRefine(({ live, environments }, ctx) => {
    const patterns = live.map(({ pattern }) => pattern);
    for (const [id, { site, name, live: isLive }] of Object.entries(environments))
      if (isLive === false && isNamedLive(patterns, site, name))
        refuse(
          ctx,
          ['environments', id, 'live'],
          `${quoted(`${site}/${name}`)} is not live here, but "live" lists its name`,
        );
  });

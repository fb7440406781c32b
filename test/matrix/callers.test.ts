import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import type { Person } from '../../src/access/access-check.ts';
import { createRecent } from '../../src/access/targets.ts';
import { authorizationOf } from '../../src/access/authorization.ts';
import { newKey } from '../../src/api/authenticate.ts';
import { createEventHub } from '../../src/api/events.ts';
import { createPlaces, mostRequests, mostStreams } from '../../src/api/request-limits.ts';
import { createApi } from '../../src/api/routes.ts';
import { recheck } from '../../src/change/recheck.ts';
import type { DecisionKind } from '../../src/change/buttons.ts';
import type { Card } from '../../src/change/card.ts';
import { decide } from '../../src/decide/decide.ts';
import { overviewFor } from '../../src/waiting/overview.ts';
import type { Policy } from '../../src/policy/rules.ts';
import type { PipelineContext } from '../../src/talk/context.ts';
import { findChange, type Change } from '../../src/storage/changes.ts';
import type { Database } from '../../src/storage/database.ts';
import { plain } from '../../src/words/text.ts';
import { member, policyFrom } from '../fixtures.ts';
import { clickRefusedAs } from './outcome-codes.ts';
import { namesOf } from './people-and-rules.ts';
import { refusalIn } from './surfaces.ts';
import { approvedBy, contextOver, openStill, restoreChange } from './waiting-changes.ts';

/**
 * The permission matrix of programs: caller × its person × operators × rule × class of command, when it asks, when
 * somebody clicks, and when it is sent. Each cell is compared with a small model of what docs/programs.md promises.
 */

let database: Database;
beforeAll(async () => {
  database = await openStill();
});
afterAll(() => database.close());

const [key, other, old] = [newKey(), newKey(), newKey()];
const ops = 'S0OPS';
const someone = (id: string, more: Partial<Person> = {}): Person => member(id, id, { otherGroups: [ops], ...more });

type Rules = readonly string[];
type File = Partial<Record<'keys' | 'expires' | 'operators' | 'person', string>>;
/** Everybody who clicks is a lead, except a reader; so only what they are to the program can decide. */
const leads =
  'U01ANA, U0ANATWO, U02BEN, U0BENTWO, U03CHI, U04DEE, U05IDA, U06ROB, U07GUS, U08NEW, U09KIM, U0KIMTWO, U10LEO';
const policyOf = (
  rules: Rules,
  { keys = key.hash, expires = '2027-01-01', operators = 'U06ROB, S0OPS', person = 'U01ANA' }: File = {},
) =>
  policyFrom(`version: 1
groups: { leads: [${leads}], admins: [${operators}], asking: [U01ANA], readers: [U11MAX] }
people: { ana: [U01ANA, U0ANATWO], ben: [U02BEN, U0BENTWO], kim: [U09KIM, U0KIMTWO] }
callers:
  bot: { keys: ["${keys}"], for: ${person}, operators: [U02BEN, admins], channel: C0ACME, expires: ${expires} }
  old: { keys: ["${old.hash}"], for: U01ANA, operators: [U02BEN], channel: C0ACME, expires: 1970-01-01 }
rules:
${rules.map((rule) => `  - ${rule}\n`).join('')}`);
const reading = '{ allow: [read], to: [leads, readers, "caller:bot", "caller:old"] }';

/** People as Slack describes them, where it matters; `null`: Slack gives no answer. */
type Slack = ReadonlyMap<string, Person | null>;
const everybody: Slack = new Map();
const contextFor = (policy: Policy, slack: Slack): PipelineContext => {
  const whoIs = async (id: string): Promise<Person | undefined> => {
    const known = slack.get(id);
    return known === null ? undefined : (known ?? someone(id));
  };
  const more = {
    personOf: whoIs,
    whoIs,
    membersOf: async () => ['U09KIM', 'U10LEO'],
    channelOf: async (id: string) => ({ id, shared: false }),
    recent: createRecent(database),
    names: namesOf(undefined, policy),
  };
  return contextOver(database, more, policy);
};

const answerSchema = z.looseObject({ detail: z.string().default(''), number: z.number().default(0) });
let requests = 0;

/** What comes of a request at the door for programs. */
async function asks(context: PipelineContext, say: string, bearer = key.key) {
  const onFault = (error: unknown): never => {
    throw error;
  };
  const log = { debug: () => undefined, info: () => undefined, error: onFault };
  const events = createEventHub(database, onFault);
  const [places, streams] = [createPlaces(mostRequests), createPlaces(mostStreams)];
  const api = createApi({ context, events, places, streams, hosts: new Set(['localhost']), log });
  requests += 1;
  const headers = {
    authorization: `Bearer ${bearer}`,
    host: 'localhost',
    'content-type': 'application/json',
    'idempotency-key': `request-${requests}`,
  };
  const body = JSON.stringify({ say, typed_name: 'acme-shop/live' });
  const response = await api.request('/v1/requests', { method: 'POST', body, headers });
  const { detail, number } = answerSchema.parse(await response.json());
  return { status: response.status, detail, change: await findChange(database.db, number) };
}

/** Nothing waits, locks, or was asked within the hour. */
async function forget(): Promise<void> {
  await database.db.updateTable('changes').set({ state: 'cancelled', settled_at: 1, created_at: -1e9 }).execute();
  await database.db.deleteFrom('locks').execute();
  await database.db.deleteFrom('shared_locks').execute();
}

const lines = {
  read: 'environments',
  routine: 'cache clear acme-shop/live',
  sensitive: 'allowlist add acme-shop/live 198.51.100.4',
  destructive: 'push acme-shop/staging acme-shop/live --database',
} as const;
type Class = keyof typeof lines;
const classes = ['read', 'routine', 'sensitive', 'destructive'] as const;
const saying = { nothing: '', none: ', approval: none', leads: ', approval: { by: [leads] }' } as const;
type Says = keyof typeof saying | 'no rule';
const says = ['no rule', 'nothing', 'none', 'leads'] as const;
const others = {
  nothing: [],
  'allow everyone': ['allow', 'everyone'],
  'deny everyone': ['deny', 'everyone'],
  'deny its person': ['deny', '[asking]'],
  'deny it': ['deny', '["caller:bot"]'],
} as const;

/** The promise: it may do what both may, a deny beats both, and the strictest applies; `others`: one who may do it. */
function promised(risk: Class, person: Says, caller: Says, other: string): string {
  const isPersonAllowed = person !== 'no rule' || other === 'allow everyone';
  if (!isPersonAllowed || caller === 'no rule' || other.startsWith('deny')) return 'refused';
  if (risk === 'read') return 'answered';
  const silent = (isAsked: boolean): Rules => (isAsked ? ['others'] : []);
  const asked = (one: Says, ifSilent: Rules): Rules =>
    one === 'leads' ? ['leads'] : one === 'nothing' ? ifSilent : [];
  const byPerson = asked(person, silent(risk === 'destructive'));
  const byEveryone = silent(risk === 'destructive' && other === 'allow everyone');
  const needed = new Set([...byPerson, ...byEveryone, ...asked(caller, silent(true))]);
  return [...needed].toSorted().join(' and ') || 'at once';
}

/** What came of it, in the words of the model. */
function outcomeOf({ status, detail, change }: Awaited<ReturnType<typeof asks>>): string {
  if (status === 200) return 'answered';
  if (status === 422 && /^You may not (run|use) /.test(detail)) return 'refused';
  const approval = change && authorizationOf(change).approval;
  if (approval === undefined) return `${status} ${detail}`;
  if (approval === 'none') return 'at once';
  const by = approval.requirements.map((one) => (one.by === 'allowed' ? 'others' : one.by.join()));
  return by.toSorted().join(' and ');
}

test('320 requests of a program are what both may, after the strictest approval', async () => {
  const wrong: string[] = [];
  let looked = 0;
  const cells = says.flatMap((person) => says.map((caller) => [person, caller] as const));
  for (const risk of classes) {
    const what = `[${risk}]`;
    const allow = (one: Says, to: string): Rules => {
      const approval = one === 'no rule' || risk === 'read' ? '' : saying[one];
      return one === 'no rule' ? [] : [`{ allow: ${what}, to: [${to}]${approval} }`];
    };
    for (const [person, caller] of cells)
      for (const [other, [effect, to]] of Object.entries(others)) {
        const rules = [
          ...(risk === 'read' ? [] : [reading, `{ allow: ${what}, to: [readers], approval: none }`]),
          ...allow(person, 'asking'),
          ...allow(caller, '"caller:bot"'),
          ...(effect === undefined ? [] : [`{ ${effect}: ${what}, to: ${to} }`]),
          '{ allow: [read], to: [readers] }',
        ];
        const is = outcomeOf(await asks(contextFor(policyOf(rules), everybody), lines[risk]));
        const should = promised(risk, person, caller, other);
        looked += 1;
        if (is !== should)
          wrong.push(`${risk}, its person ${person}, it ${caller}, ${other}: ${is}, and not ${should}`);
        await forget();
      }
  }
  expect(wrong).toEqual([]);
  expect(looked).toBe(320);
});

const allowing: Rules = [reading, '{ allow: [routine, sensitive, destructive], to: [leads], approval: none }'];
const decided = {
  leads: '{ allow: [routine], to: ["caller:bot"], approval: { by: [leads] } }',
  'nobody named': '{ allow: [routine], to: ["caller:bot"] }',
  none: '{ allow: [routine], to: ["caller:bot"], approval: none }',
} as const;

/** Who clicks, as they are then: `own`: they count as the asking side. */
const clickers: Readonly<
  Record<string, { readonly person: Person; readonly is: 'own' | 'counts' | 'later' | 'no' | '!' }>
> = {
  'its person': { person: someone('U01ANA'), is: 'own' },
  'its person, by a second account': { person: someone('U0ANATWO'), is: 'own' },
  'an operator': { person: someone('U02BEN'), is: 'own' },
  'an operator, by a second account': { person: someone('U0BENTWO'), is: 'own' },
  'an operator by a group': { person: someone('U06ROB'), is: 'own' },
  'an operator by a group, taken out since': { person: someone('U05IDA'), is: 'own' },
  'an operator by a group, since it asked': { person: someone('U08NEW'), is: 'own' },
  'an operator by a user group': { person: someone('U09KIM', { groups: [ops], otherGroups: [] }), is: 'own' },
  'an operator by a user group, by a second account': {
    person: someone('U0KIMTWO', { joinedGroups: [ops], otherGroups: [] }),
    is: 'own',
  },
  'an operator by a user group, who left it since': { person: someone('U10LEO'), is: 'own' },
  'whoever may be in the user group': { person: someone('U03CHI', { otherGroups: [] }), is: 'later' },
  'a lead who is a guest now': { person: someone('U07GUS', { standing: 'guest' }), is: '!' },
  'a lead': { person: someone('U04DEE'), is: 'counts' },
  'a reader': { person: someone('U11MAX'), is: 'no' },
};

/** A change that the program asked for. */
async function askedFor(rule: string): Promise<Change> {
  const policy = policyOf([...allowing, rule], { operators: 'U05IDA, U06ROB, S0OPS' });
  const { change, detail } = await asks(contextFor(policy, everybody), lines.routine);
  if (change === undefined) throw new Error(detail);
  return change;
}
const rulesSince = (rule: string, more: Rules = [], file: File = {}) =>
  policyOf([...allowing, rule, ...more], { operators: 'U06ROB, U08NEW, S0OPS', ...file });

async function clicked(
  change: Change,
  verdict: DecisionKind,
  by: Person,
  policy: Policy,
  slack = everybody,
): Promise<string> {
  const context = contextFor(policy, new Map([...slack, [by.id, by]]));
  const { installation } = database;
  const { number, version } = change;
  try {
    await decide(context, {
      installation,
      number,
      version,
      verdict,
      person: by.id,
      team: 'T1',
      inbox: undefined,
      reason: 'because',
    });
    return (await findChange(database.db, number))?.state ?? 'gone';
  } catch (error) {
    return clickRefusedAs(refusalIn(error));
  }
}

test('182 clicks count unless they are by whoever could use its key, then or now', async () => {
  const verdicts = {
    approve: 'approved',
    decline: 'declined',
    cancel: 'cancelled',
    happened: 'happened',
    did_not_happen: 'did_not_happen',
  } as const;
  const wrong: string[] = [];
  let looked = 0;
  for (const [name, rule] of Object.entries(decided)) {
    const change = await askedFor(rule);
    for (const [who, { person, is: says }] of Object.entries(clickers))
      for (const verdict of ['approve', 'decline', 'cancel', 'happened', 'did_not_happen'] as const) {
        if (name === 'none' && (verdict === 'approve' || verdict === 'decline')) continue;
        const isUnknown = verdict === 'happened' || verdict === 'did_not_happen';
        const now = await restoreChange(
          database,
          change,
          isUnknown ? { state: 'unknown', sent_at: 1, version: 4 } : {},
        );
        const is = await clicked(now, verdict, person, rulesSince(rule));
        const cancels = { own: verdicts.cancel, later: 'later', '!': '!', counts: 'only', no: 'only' }[says];
        const should = verdict === 'cancel' ? cancels : says === 'counts' ? verdicts[verdict] : says;
        looked += 1;
        if (is !== should) wrong.push(`${name}, ${verdict}, ${who}: ${is}, and not ${should}`);
      }
    await forget();
  }
  expect(wrong).toEqual([]);
  expect(looked).toBe(182);
});

/** What differs since it asked: what a lead's click comes to, and a send that a lead has approved. */
const differences: Readonly<
  Record<
    string,
    {
      readonly file?: File;
      readonly more?: Rules;
      readonly person?: Partial<Person> | 'silence';
      readonly without?: true;
      readonly click: string;
      readonly send: string;
    }
  >
> = {
  nothing: { click: 'approved', send: 'as it was' },
  'Slack says nothing of its person': { person: 'silence', click: 'later', send: 'later' },
  'its person was deactivated': { person: { standing: 'deactivated' }, click: 'ended', send: 'invalidated' },
  'its person is a guest': { person: { standing: 'guest' }, click: 'ended', send: 'invalidated' },
  'its person lost the right': { more: ['{ deny: [routine], to: [asking] }'], click: 'ended', send: 'invalidated' },
  'it lost its right': { without: true, click: 'ended', send: 'invalidated' },
  'it is denied': { more: ['{ deny: [routine], to: ["caller:bot"] }'], click: 'ended', send: 'invalidated' },
  'everyone is denied': { more: ['{ deny: [routine], to: everyone }'], click: 'd2', send: 'invalidated' },
  'its key was taken out': { file: { keys: other.hash }, click: 'ended', send: 'invalidated' },
  'its key expired': { file: { expires: '1970-01-01' }, click: 'ended', send: 'invalidated' },
  'it asks for somebody else': { file: { person: 'U06ROB' }, click: 'ended', send: 'invalidated' },
};

test('55 changes are approved and sent only by the rights of that moment', async () => {
  const wrong: string[] = [];
  const lead = someone('U04DEE');
  let looked = 0;
  for (const [name, rule] of Object.entries(decided)) {
    const change = await askedFor(rule);
    for (const [what, { file, more, person, without, click, send }] of Object.entries(differences)) {
      const policy = without ? policyOf(allowing) : rulesSince(rule, more, file);
      const slack: Slack = new Map([['U01ANA', person === 'silence' ? null : someone('U01ANA', person)]]);
      if (name !== 'none') {
        const is = await clicked(await restoreChange(database, change), 'approve', lead, policy, slack);
        looked += 1;
        if (is !== click) wrong.push(`${name}, a click, ${what}: ${is}, and not ${click}`);
      }
      const approved = await restoreChange(database, change, { state: 'approved', version: 2 });
      if (name !== 'none') await approvedBy(database, approved, [lead.id]);
      const { kind } = await recheck(contextFor(policy, slack), approved);
      looked += 1;
      if (kind !== send) wrong.push(`${name}, sending, ${what}: ${kind}, and not ${send}`);
    }
    await forget();
  }
  expect(wrong).toEqual([]);
  expect(looked).toBe(55);
});

test('28 sends are enough approved or not, by whoever approved it', async () => {
  const wrong: string[] = [];
  for (const name of ['leads', 'nobody named'] as const) {
    const change = await askedFor(decided[name]);
    for (const [who, { person, is: says }] of Object.entries(clickers)) {
      const approved = await restoreChange(database, change, { state: 'approved', version: 2 });
      await approvedBy(database, approved, [person.id]);
      const { kind } = await recheck(contextFor(rulesSince(decided[name]), new Map([[person.id, person]])), approved);
      const should = says === 'counts' ? 'as it was' : says === 'later' ? 'later' : 'invalidated';
      if (kind !== should) wrong.push(`${name}, ${who}: ${kind}, and not ${should}`);
    }
    await forget();
  }
  expect(wrong).toEqual([]);
});

test('25 requests by the state of the key and of its person', async () => {
  const policy = policyOf([...allowing, decided.leads, '{ allow: [routine], to: ["caller:old"] }']);
  const bearers = { valid: key.key, unknown: newKey().key, 'taken out': other.key, expired: old.key, none: '' };
  const people = {
    member: {},
    guest: { standing: 'guest' },
    bot: { standing: 'bot' },
    deactivated: { standing: 'deactivated' },
    silence: null,
  } as const;
  for (const [bearer, given] of Object.entries(bearers))
    for (const [standing, more] of Object.entries(people)) {
      const slack: Slack = new Map([['U01ANA', more && someone('U01ANA', more)]]);
      const { status } = await asks(contextFor(policy, slack), lines.routine, given);
      const refused = standing === 'member' ? 202 : standing === 'silence' ? 503 : 422;
      expect({ bearer, standing, status }).toEqual({ bearer, standing, status: bearer === 'valid' ? refused : 401 });
    }
  await forget();
  // Who may not decide cannot be told later.
  const silent = { ...contextFor(policy, everybody), membersOf: async () => undefined };
  expect(await asks(silent, lines.routine)).toMatchObject({ status: 503, change: undefined });
});

test('what a program names is not what its person uses', async () => {
  const context = contextFor(policyOf([...allowing, decided.leads]), everybody);
  await asks(context, lines.routine);
  expect(await context.recent.of('U01ANA')).toEqual([]);
  await forget();
});

test('in App Home, what people asked for comes before what any number of programs did, and is not pushed out', async () => {
  const context = contextFor(policyOf([...allowing, decided.leads]), everybody);
  const change = await askedFor(decided.leads);
  const { number, ...row } = change;
  const copies = Array.from({ length: 120 }, (_, at) => ({ ...row, number: number + at + 1, caller_request: null }));
  const [own = change] = copies;
  await database.db
    .insertInto('changes')
    .values(copies.map((copy) => (copy === own ? { ...copy, caller: null } : copy)))
    .execute();
  const first = (cards: readonly Card[]): string => plain(cards[0]?.headline ?? []);
  const { mine } = await overviewFor(context, someone('U01ANA'));
  const { toDecide, more } = await overviewFor(context, someone('U04DEE'));
  for (const cards of [mine, toDecide]) expect(first(cards)).toContain(`#${own.number}`);
  expect(more.toDecide).toBeGreaterThan(0);
  await forget();
});

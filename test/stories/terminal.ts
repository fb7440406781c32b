import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { catalogue } from '../../src/commands/index.ts';
import { readConfig } from '../../src/base/config.ts';
import { createLog, logTo } from '../../src/base/log.ts';
import type { Card, Note } from '../../src/change/card.ts';
import type { Button } from '../../src/change/buttons.ts';
import { shownOf } from '../../src/change/confirmation.ts';
import { check, next, type Request } from '../../src/talk/conversation.ts';
import { parse, parseArgs } from '../../src/language/parse.ts';
import type { ParsedCommand } from '../../src/language/bind-arguments.ts';
import { decide } from '../../src/decide/decide.ts';
import { startHosting, type HostingOptions, type HostingStandIn } from '../../src/playground/hosting/server.ts';
import { createSteadyNow } from '../../src/storage/clock.ts';
import { joined, plain } from '../../src/words/text.ts';
import { buildPipeline, openFoundations, type Frontend } from '../../src/program/wiring.ts';

/** A second frontend besides Slack: people type lines, answer reviews, press buttons and read plain text. */
export type Terminal = {
  readonly hosting: HostingStandIn;
  /** Types a line; resolves with the immediate answer. */
  readonly type: (person: string, line: string) => Promise<string>;
  /** Answers the review that this person saw last. */
  readonly confirm: (person: string, typedName?: string) => Promise<string>;
  /** Presses a decision button that was printed. */
  readonly press: (person: string, label: string) => Promise<string>;
  /** Resolves with a printed message that matches, now or later. */
  readonly prints: (pattern: RegExp) => Promise<string>;
  readonly close: () => Promise<void>;
};

type Shown = { readonly text: string; readonly buttons: readonly Button[] };
const shownAs = (what: Card | Note): Shown =>
  'headline' in what
    ? { text: [what.mark, plain(joined([what.headline, ...what.lines], '\n'))].join(' '), buttons: what.buttons }
    : { text: plain(what.text), buttons: what.buttons ?? [] };

/** Opens a terminal on the real pipeline, with this policy, beside the hosting stand-in. */
export async function openTerminal(policy: string, durations: HostingOptions['durations']): Promise<Terminal> {
  const hosting = await startHosting({ notKnownFor: 0, ...(durations && { durations }) });
  const folder = await mkdtemp(join(tmpdir(), 'sitehand-terminal-'));
  const policyFile = join(folder, 'policy.yml');
  await writeFile(policyFile, policy);
  const config = readConfig({
    SLACK_BOT_TOKEN: 'xoxb-of-no-use-here',
    SLACK_APP_TOKEN: 'xapp-of-no-use-here',
    HOSTING_API_URL: hosting.url,
    HOSTING_API_KEY: hosting.key,
    HOSTING_COMPANY_ID: hosting.companyId,
    POLICY_FILE: policyFile,
    DATABASE_URL: `sqlite:${join(folder, 'sitehand.db')}`,
  });
  const printed = new Map<string, Shown>();
  let waiting: { pattern: RegExp; found: (text: string) => void }[] = [];
  const print = (ts: string, what: Card | Note): void => {
    const shown = shownAs(what);
    printed.set(ts, shown);
    waiting = waiting.filter(({ pattern, found }) => !pattern.test(shown.text) || found(shown.text));
  };
  const { loss: logLoss } = logTo(process.stdout, () => {});
  const foundations = await openFoundations(config, { log: createLog('silent'), logLoss }, createSteadyNow());
  const { pipeline, worker, delivery, logs } = await buildPipeline(config, foundations, frontendOf(print));
  await foundations.directory.refresh();
  worker.start();
  delivery.start();

  const reviews = new Map<string, { readonly parsed: ParsedCommand; readonly shown: string }>();
  const answer = async (person: string, request: Omit<Request, 'from'>): Promise<string> => {
    const from = {
      person,
      team: undefined,
      channel: async () => 'tty',
      cardChannel: async () => ({ id: 'tty', shared: false }),
    };
    const checked = await check(pipeline, { ...request, from });
    if (checked.kind === 'ask') {
      const { missing, problems } = checked.resolved;
      const wrong = problems.map(({ refusal }) => plain(refusal.says));
      return [...missing.map((field) => `${field}?`), ...wrong, plain(checked.says?.says ?? [])].join('\n');
    }
    const outcome = checked.kind === 'refuse' ? checked : await next(pipeline, checked, undefined);
    switch (outcome.kind) {
      case 'refuse':
        return plain(joined([outcome.refusal.says, outcome.refusal.hint]));
      case 'instead':
        return answer(person, { parsed: parseArgs(outcome.args, catalogue) });
      case 'show':
        return plain(outcome.page.title);
      case 'queued':
        return plain(outcome.note.text);
      case 'saved':
        return `#${outcome.change?.number} was saved`;
      case 'review':
        reviews.set(person, { parsed: outcome.pinned.parsed, shown: shownOf(outcome.pinned) });
        return outcome.pinned.card;
    }
  };
  return {
    hosting,
    type: async (person, line) => {
      const parsed = parse(line, catalogue);
      return parsed ? answer(person, { parsed }) : '';
    },
    confirm: async (person, typedName) => {
      const { parsed, shown } = reviews.get(person) ?? raise('no review was shown');
      return answer(person, { parsed, reviewed: { shown, typedName } });
    },
    press: async (person, label) => {
      const buttons = [...printed.values()].flatMap((shown) => shown.buttons);
      const press = buttons.findLast((button) => button.label === label)?.press ?? raise(`no button says ${label}`);
      if (press.kind !== 'decision') throw new Error(`${label} decides nothing`);
      return decide(pipeline, { ...press, person, team: undefined, inbox: undefined }).then(() => '', String);
    },
    prints: (pattern) => {
      const text = [...printed.values()].map((shown) => shown.text).find((one) => pattern.test(one));
      return text === undefined ? new Promise((found) => waiting.push({ pattern, found })) : Promise.resolve(text);
    },
    close: async () => {
      await Promise.all([worker.stop(), delivery.stop(), logs.close()]);
      foundations.directory.close();
      await Promise.all([foundations.hosting.close(), foundations.policy.close(), foundations.counting.close()]);
      await foundations.database.close();
      await hosting.close();
      await rm(folder, { recursive: true });
    },
  };
}

function raise(why: string): never {
  throw new Error(why);
}

/** Everybody is a member of the workspace, and every message is printed. */
function frontendOf(print: (ts: string, what: Card | Note) => void): Frontend {
  const member = { name: 'somebody', team: 'home', standing: 'member', zone: 'UTC', groups: [] } as const;
  const known: Frontend['personOf'] = async (id) => ({ ...member, id });
  const asking = { personOf: known, glanceAt: known, whoIs: known };
  let posts = 0;
  const post = (what: Card | Note) => {
    const ts = String((posts += 1));
    print(ts, what);
    return { channel: 'tty', ts };
  };
  return {
    ...asking,
    membersOf: async () => [],
    groupTrouble: () => undefined,
    channelOf: async (id) => ({ id, shared: false }),
    lookAt: async () => ({ kind: 'seen', shared: false, archived: false, member: true, isPrivate: false }),
    askSlack: async () => ({ botUserId: 'sitehand' }),
    isTaken: () => true,
    onCard: () => undefined,
    onUntold: () => undefined,
    messenger: { post: async (_, what) => post(what), edit: async ({ ts }, what) => print(ts, what) },
  };
}

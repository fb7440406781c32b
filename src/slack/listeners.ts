import type { App, ViewSubmitAction } from '@slack/bolt';
import type { Option } from '@slack/types';
import { z } from 'zod';
import { catalogue } from '../commands/index.ts';
import { Refusal } from '../errors.ts';
import { parse } from '../pipeline/parse.ts';
import { folded } from '../pipeline/resolve.ts';
import { join } from '../pipeline/words.ts';
import { keptPage, keptWords } from './answers.ts';
import { drawPage } from './blocks.ts';
import { memoOf, optionOf } from './form.ts';
import { hear, hearForm, speaker } from './hear.ts';
import { publishHome } from './home.ts';
import { attend, keep, turnAway, within, type Heard, type Reception } from './reception.ts';
import { share } from './share.ts';
import { submission, submit } from './submissions.ts';

/** Runs work that follows an ack, and knows of it until it ends; false: too much is under way already. */
export type Track = (work: () => Promise<void>) => boolean;

const noDatabase = 'My database does not answer. Nothing was done. Try again in a minute.';
const suggestionsMs = 2_000;

/** Every way in: command, mention, button, form, suggestions, home. Each acks first and works afterwards. */
export function listen(app: App, reception: Reception, track: Track): void {
  listenToCommands(app, reception, track);
  listenToButtons(app, reception, track);
  listenToForms(app, reception, track);
  listenToEvents(app, reception, track);
}

function listenToCommands(app: App, reception: Reception, track: Track): void {
  app.command(/.*/, async ({ ack, body }) => {
    const end = reception.metrics.ack.startTimer({ kind: 'command' });
    const line = lineOf(body.command, body.text);
    const key = `command:${body.trigger_id}`;
    const kept =
      changesSomething(line) &&
      (await keep(reception, { key, kind: 'command', person: body.user_id, channel: body.channel_id, content: line }));
    if (kept === 'seen') return ack();
    if (kept === 'failed') return ack({ response_type: 'ephemeral', text: noDatabase });
    const heard: Heard = {
      person: body.user_id,
      team: body.team_id,
      channel: body.channel_id,
      responseUrl: body.response_url,
      trigger: body.trigger_id,
      inbox: kept ? key : undefined,
    };
    const taken = track(() => attend(reception, heard, 'reading a command', () => hear(reception, heard, line)));
    await ack();
    end();
    if (!taken) await turnAway(reception, heard);
  });
}

/** The main command's words, or another command's name before them: `/logs acme-shop/live` is `logs acme-shop/live`. */
function lineOf(command: string, text: string | undefined): string {
  const name = command.replace(/^\//, '').toLowerCase();
  const isPath = [...catalogue.keys()].some((path) => path === name || path.startsWith(`${name} `));
  return isPath ? `${name} ${text ?? ''}` : (text ?? '');
}

/** Whether a line is written down before it is acked. What cannot be read is refused later, and changes nothing. */
function changesSomething(line: string): boolean {
  try {
    return parse(line, catalogue)?.command.shape === 'action';
  } catch {
    return false;
  }
}

const press = z.object({
  user: z.object({ id: z.string(), team_id: z.string().optional() }),
  trigger_id: z.string().optional(),
  response_url: z.string().optional(),
  channel: z.object({ id: z.string() }).optional(),
  message: z.object({ thread_ts: z.string().optional() }).optional(),
  actions: z
    .array(z.object({ action_id: z.string(), action_ts: z.string().optional(), value: z.string().optional() }))
    .min(1),
});

function listenToButtons(app: App, reception: Reception, track: Track): void {
  app.action(/.*/, async ({ ack, body }) => {
    const end = reception.metrics.ack.startTimer({ kind: 'button' });
    const read = press.safeParse(body);
    const button = read.data?.actions[0];
    if (read.data === undefined || button?.value === undefined) return ack();
    const { user, channel, message } = read.data;
    const [kind] = button.action_id.split(':');
    const key = `button:${user.id}:${button.action_ts ?? read.data.trigger_id}:${button.action_id}`;
    const changes = kind === 'stored' || (kind === 'words' && changesSomething(button.value));
    const kept =
      changes &&
      (await keep(reception, { key, kind: 'button', person: user.id, channel: channel?.id, content: button.value }));
    await ack();
    end();
    if (kept === 'seen') return;
    const heard: Heard = {
      person: user.id,
      team: user.team_id,
      channel: channel?.id,
      thread: message?.thread_ts,
      responseUrl: read.data.response_url,
      trigger: read.data.trigger_id,
      inbox: kept ? key : undefined,
    };
    const { value } = button;
    const work = async (): Promise<void> => {
      if (kept === 'failed') throw new Refusal(noDatabase);
      await pressed(reception, heard, kind ?? '', value);
    };
    if (!track(() => attend(reception, heard, 'reading a button', work))) await turnAway(reception, heard);
  });
}

async function pressed(reception: Reception, heard: Heard, kind: string, value: string): Promise<void> {
  const { database } = reception.front;
  switch (kind) {
    case 'words':
      return hear(reception, heard, value);
    case 'form':
      return hearForm(reception, heard, value);
    case 'stored':
      return hear(reception, heard, join(await keptWords(database, value)));
    case 'share':
      return share(reception, heard, await keptPage(database, value));
    case 'page': {
      await speaker(reception, heard);
      const [from = '0', id = ''] = value.split(' ');
      const { page } = await keptPage(database, id);
      return reception.privately(heard, drawPage(page, { id, shareable: false }, Number(from)));
    }
    default:
      throw new Refusal('I do not know this button any more. Nothing was done.');
  }
}

function listenToForms(app: App, reception: Reception, track: Track): void {
  app.view<ViewSubmitAction>({ callback_id: /.*/, type: 'view_submission' }, async ({ ack, body }) => {
    const end = reception.metrics.ack.startTimer({ kind: 'form' });
    const said = submission.parse(body);
    const { ack: answer, after, inbox } = await submit(reception, said);
    await (answer ? ack(answer) : ack());
    end();
    if (after === undefined) return;
    const channel = memoOf(said.view.private_metadata)?.origin.channel;
    const heard: Heard = {
      person: said.user.id,
      team: said.user.team_id,
      channel,
      trigger: undefined,
      inbox,
    };
    if (!track(() => attend(reception, heard, 'working on a form', after))) await turnAway(reception, heard);
  });
  app.view({ callback_id: /.*/, type: 'view_closed' }, ({ ack }) => ack());
  app.options(/.*/, async ({ ack, body }) => {
    await ack({ options: await within(suggestionsMs, suggestions(reception, body)).catch(() => []) });
  });
}

const asking = z.object({
  user: z.object({ id: z.string(), team_id: z.string().optional() }),
  action_id: z.string(),
  value: z.string().default(''),
  view: z.object({ private_metadata: z.string() }).optional(),
});

/** Names that this person may read and that fit what was typed so far, nearest to its beginning first. */
async function suggestions(reception: Reception, body: unknown): Promise<Option[]> {
  const { user, action_id: name, value, view } = asking.parse(body);
  const person = await speaker(reception, { person: user.id, team: user.team_id });
  const field = catalogue.get(memoOf(view?.private_metadata ?? '')?.path ?? '')?.fields[name];
  const names = reception.front.names(person);
  const all = field?.kind === 'domain' ? names.domains : names.environments;
  const typed = folded(value);
  return all
    .filter((one) => folded(one.name).includes(typed))
    .sort((one, other) => folded(one.name).indexOf(typed) - folded(other.name).indexOf(typed))
    .slice(0, 100)
    .map((one) => optionOf(one.id, one.name));
}

function listenToEvents(app: App, reception: Reception, track: Track): void {
  app.event('app_mention', async ({ event, body }) => {
    const { user, channel, thread_ts: thread, text } = event;
    if (user === undefined || 'bot_id' in event) return;
    const line = text.replace(new RegExp(`^\\s*<@${reception.botUser}(\\|[^>]*)?>`), '');
    const key = `mention:${body.event_id}`;
    const kept =
      changesSomething(line) && (await keep(reception, { key, kind: 'mention', person: user, channel, content: line }));
    if (kept === 'seen') return;
    const heard: Heard = {
      person: user,
      team: event.team ?? body.team_id,
      channel,
      thread,
      trigger: undefined,
      inbox: kept ? key : undefined,
    };
    const work = async (): Promise<void> => {
      if (kept === 'failed') throw new Refusal(noDatabase);
      await hear(reception, heard, line);
    };
    if (!track(() => attend(reception, heard, 'reading a mention', work))) await turnAway(reception, heard);
  });
  app.event('app_home_opened', async ({ event }) => {
    if (event.tab === 'home') track(() => publishHome(reception, event.user));
  });
  app.event('subteam_members_changed', async ({ event }) => reception.people.groupChanged(event.subteam_id));
}

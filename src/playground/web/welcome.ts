import { ask } from './api.ts';
import { say } from './composer.ts';
import { type Child, fill, h } from './dom.ts';
import type { Session } from './session.ts';

/** What to press first, and the command that it sends. Nothing is wrong with the shop until it is broken. */
type First = { readonly label: string; readonly line: string; readonly breaks?: string };

const SHOP = 'acme-shop/live';
const FIRST: readonly First[] = [
  { label: 'Something is wrong with the shop', line: `/site status ${SHOP}`, breaks: SHOP },
  { label: 'Push staging to live', line: `/site push acme-shop/staging ${SHOP} --database` },
  { label: 'Clear every cache', line: '/site cache clear acme-*/live' },
];

/** Says in a channel without messages what this is, who acts, and what to press. */
export function createWelcome(session: Session, messages: HTMLElement): (isEmpty: boolean) => void {
  const element = h('section', { class: 'welcome', 'aria-label': 'First steps', hidden: true });
  messages.append(element);
  return (isEmpty) => {
    element.hidden = !isEmpty;
    fill(element, ...(isEmpty ? drawWelcome(session) : []));
  };
}

function drawWelcome(session: Session): readonly Child[] {
  const { display_name: name = session.me, title = '' } = session.directory.people.get(session.me) ?? {};
  return [
    h('p', {}, h('strong', {}, 'Sitehand runs hosted sites from Slack.'), ' Here, Slack and the sites are stand-ins.'),
    h('p', {}, 'You act as ', h('strong', {}, name), title !== '' && ` (${title})`, '. Press one, or type a command.'),
    ...FIRST.map((first) => drawFirst(session, first)),
  ];
}

function drawFirst(session: Session, { label, line, breaks }: First): Child {
  const run = async (): Promise<void> => {
    if (breaks) await ask('/control/site/break', { environment: breaks, break: 'error' });
    const said = await say(session, line, undefined);
    if (breaks && said) session.showError(`I broke ${breaks} first. “Mend all” behind the scenes repairs it.`);
  };
  const click = (): void => void run().catch((error: unknown) => session.showError(error));
  const what = breaks && h('small', {}, `First breaks ${breaks}: 500 to every visitor`);
  return h('button', { click }, label, what, h('code', {}, line));
}

import { say } from './composer.ts';
import { type Child, fill, h } from './dom.ts';
import type { Session } from './session.ts';

/** What to press first, and the command that it sends. */
const FIRST = [
  ['Something is wrong with the shop', '/site status acme-shop/live'],
  ['Push staging to live', '/site push acme-shop/staging acme-shop/live --database'],
  ['Clear every cache', '/site cache clear acme-*/live'],
] as const;

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
    ...FIRST.map(([label, line]) =>
      h('button', { click: () => void say(session, line, undefined) }, label, h('code', {}, line)),
    ),
  ];
}

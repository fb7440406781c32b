import { actors, botOf, channelsOf, directMessageId, nameOf } from './directory.ts';
import { type Child, fill, h } from './dom.ts';
import { avatar, newDot } from './messages.ts';
import { hashOf } from './navigation.ts';
import type { Session } from './session.ts';

/** People to act as, channels, and the direct message with the bot. On a small screen they are folded until wanted. */
export function createSidebar(session: Session, element: HTMLElement): () => void {
  const fold = h('button', { class: 'fold', 'aria-expanded': 'false' });
  // A press on anything else goes there, and the rest is in the way.
  element.addEventListener('click', ({ target }) => {
    const opens = target instanceof Node && fold.contains(target) && !element.classList.contains('open');
    element.classList.toggle('open', opens);
    fold.setAttribute('aria-expanded', String(opens));
  });
  return () => {
    const name = nameOf.person(session.directory, session.me);
    fill(
      fold,
      avatar(session.me, name),
      name,
      session.unread.size > 0 && newDot(),
      h('small', {}, 'People and channels'),
    );
    fill(
      element,
      fold,
      h('h2', { id: 'people' }, 'Act as'),
      h(
        'ul',
        { 'aria-labelledby': 'people' },
        ...actors(session.directory).map((person) => drawPerson(session, person)),
      ),
      h('h2', { id: 'channels' }, 'Channels'),
      h('ul', { 'aria-labelledby': 'channels' }, ...channelRows(session)),
      h('h2', { id: 'apps' }, 'Apps'),
      h('ul', { 'aria-labelledby': 'apps' }, botRow(session)),
    );
  };
}

function drawPerson(session: Session, person: ReturnType<typeof actors>[number]): Child {
  const attributes = {
    'aria-pressed': String(person.id === session.me),
    title: [person.real_name, person.title].filter(Boolean).join(', '),
    click: () => session.go({ me: person.id }),
  };
  const beside = {
    href: hashOf({ ...session, me: person.id }),
    target: '_blank',
    rel: 'noopener',
    title: `Act as ${person.display_name} in a new window`,
    'aria-label': `Act as ${person.display_name} in a new window`,
  };
  return h(
    'li',
    {},
    h('button', attributes, avatar(person.id, person.display_name), person.display_name, h('small', {}, person.title)),
    h('a', beside, '↗'),
  );
}

function channelRows(session: Session): readonly Child[] {
  return channelsOf(session.directory, session.me).map(({ id, name, kind, archived, shared }) => {
    const marks = [kind === 'private' && 'private', archived && 'archived', shared && 'shared'].filter(Boolean);
    return row(session, id, `# ${name}`, marks.join(', '));
  });
}

const botRow = (session: Session): Child =>
  row(session, directMessageId(session.me), botOf(session.directory)?.display_name ?? 'The app', 'direct');

function row(session: Session, id: string, name: string, remark: string): Child {
  const isNew = session.unread.has(id);
  const attributes = {
    'aria-current': id === session.channel ? 'page' : undefined,
    class: isNew ? 'unread' : undefined,
    click: () => session.go({ channel: id }),
  };
  return h('li', {}, h('button', attributes, name, isNew && newDot(), h('small', {}, remark)));
}

import { actors, botOf, channelsOf, directMessageId } from './directory.ts';
import { type Child, fill, h } from './dom.ts';
import { avatar } from './messages.ts';
import { toAddress } from './place.ts';
import type { Seat } from './seat.ts';

/** People to act as, channels, and the direct message with the bot. */
export function createSidebar(seat: Seat, element: HTMLElement): (unread: ReadonlySet<string>) => void {
  return (unread) =>
    fill(
      element,
      h('h2', { id: 'people' }, 'Act as'),
      h('ul', { 'aria-labelledby': 'people' }, ...actors(seat.directory).map((person) => drawPerson(seat, person))),
      h('h2', { id: 'channels' }, 'Channels'),
      h('ul', { 'aria-labelledby': 'channels' }, ...channelRows(seat, unread)),
      h('h2', { id: 'apps' }, 'Apps'),
      h('ul', { 'aria-labelledby': 'apps' }, botRow(seat, unread)),
    );
}

function drawPerson(seat: Seat, person: ReturnType<typeof actors>[number]): Child {
  const attributes = {
    'aria-pressed': String(person.id === seat.me),
    title: person.real_name,
    click: () => seat.go({ me: person.id }),
  };
  const beside = {
    href: toAddress({ ...seat, me: person.id }),
    target: '_blank',
    rel: 'noopener',
    title: `As ${person.display_name} in a window of its own`,
    'aria-label': `As ${person.display_name} in a window of its own`,
  };
  return h(
    'li',
    {},
    h('button', attributes, avatar(person.id, person.display_name), person.display_name, h('small', {}, person.title)),
    h('a', beside, '↗'),
  );
}

function channelRows(seat: Seat, unread: ReadonlySet<string>): readonly Child[] {
  return channelsOf(seat.directory, seat.me).map(({ id, name, kind, archived, shared }) => {
    const marks = [kind === 'private' && 'private', archived && 'archived', shared && 'shared'].filter(Boolean);
    return row(seat, id, `# ${name}`, unread, marks.join(', '));
  });
}

function botRow(seat: Seat, unread: ReadonlySet<string>): Child {
  return row(seat, directMessageId(seat.me), botOf(seat.directory)?.display_name ?? 'The app', unread, 'direct');
}

function row(seat: Seat, id: string, name: string, unread: ReadonlySet<string>, remark: string): Child {
  const isNew = unread.has(id);
  const attributes = {
    'aria-current': id === seat.channel ? 'page' : undefined,
    class: isNew ? 'unread' : undefined,
    click: () => seat.go({ channel: id }),
  };
  return h(
    'li',
    {},
    h('button', attributes, name, isNew && h('span', { class: 'dot', title: 'new' }), h('small', {}, remark)),
  );
}

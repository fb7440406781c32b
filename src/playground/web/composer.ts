import { type Child, h } from './dom.ts';
import type { Session } from './session.ts';
import { createSuggestions } from './suggestions.ts';

const EXAMPLE = '/site logs acme-shop/live';

/** The input box. A line that begins with a slash is a command, anything else a message. Threads take no commands. */
export function createComposer(session: Session, thread: () => string | undefined, isMain: boolean): HTMLFormElement {
  const label = isMain ? 'Message or command' : 'Reply in the thread';
  const box = h('textarea', {
    'aria-label': label,
    rows: '1',
    placeholder: isMain ? EXAMPLE : '@Sitehand changes',
    input: () => grow(),
  });
  const grow = (): void => {
    box.style.height = 'auto';
    box.style.height = `${Math.min(box.scrollHeight, 200)}px`;
  };
  const write = (text: string): void => {
    box.value = text;
    grow();
  };
  // Created before the box's own listener, so that a key that picks a suggestion does not also send.
  const suggestions = isMain ? createSuggestions(session, box, grow) : undefined;
  box.addEventListener('keydown', (event) => {
    if (event.defaultPrevented || event.key !== 'Enter' || event.shiftKey || event.isComposing) return;
    event.preventDefault();
    void send();
  });
  const send = async (): Promise<void> => {
    const text = box.value.trim();
    if (text === '') return;
    suggestions?.hide();
    write('');
    const outcome = await say(session, text, thread());
    // Not sent: it can be sent again, unless something else was begun meanwhile.
    if (outcome === undefined && box.value === '') write(text);
  };
  return drawForm(() => void send(), suggestions?.element, box);
}

function drawForm(send: () => void, ...inputs: readonly Child[]): HTMLFormElement {
  const submit = (event: Event): void => {
    event.preventDefault();
    send();
  };
  return h('form', { class: 'composer', submit }, ...inputs, h('button', { class: 'primary' }, 'Send'));
}

/** Posts a message or runs a command. Shows the problem and returns undefined if that is not possible. */
export async function say(session: Session, text: string, thread: string | undefined): Promise<object | undefined> {
  const { me: person, channel } = session;
  if (!text.startsWith('/')) return session.act('say', { person, channel, text, ...(thread && { thread }) });
  if (thread === undefined) return session.act('command', { person, channel, text });
  session.showError('Slash commands do not work in threads, so nothing was sent. Mention @Sitehand instead.');
  return undefined;
}

import { fieldsOf, plainTextOf } from '../slack/json-fields.ts';
import type { Directory } from './directory.ts';
import { h } from './dom.ts';
import { textNodes } from './mrkdwn.ts';

/** Shows an element's confirm dialog; true if there is none, false for Esc. */
export function agreed(confirm: unknown, directory: Directory): Promise<boolean> {
  if (confirm === undefined) return Promise.resolve(true);
  const { title, text, confirm: yes, deny, style } = fieldsOf(confirm);
  const label = (value: unknown, usual: string): string => plainTextOf(value) || usual;
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const dialog = h(
    'dialog',
    { class: 'confirm', 'aria-labelledby': 'confirm-title' },
    h(
      'form',
      { method: 'dialog' },
      h('h2', { id: 'confirm-title' }, label(title, 'Are you sure?')),
      h('p', { class: 'lines' }, ...textNodes(text, directory)),
      h(
        'footer',
        {},
        h('button', { value: 'no' }, label(deny, 'No')),
        h(
          'button',
          { value: 'yes', class: style === 'danger' ? 'danger' : 'primary', autofocus: true },
          label(yes, 'Yes'),
        ),
      ),
    ),
  );
  dialog.addEventListener('close', () => {
    dialog.remove();
    resolve(dialog.returnValue === 'yes');
  });
  document.body.append(dialog);
  dialog.showModal();
  return promise;
}

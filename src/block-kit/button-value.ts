import type { Press } from '../change/buttons.ts';
import { join } from '../language/tokenize.ts';

/** The value that Slack sends back when the button is pressed; `incoming/buttons.ts` reads it. */
export function buttonValue(press: Press): string {
  switch (press.kind) {
    case 'run':
    case 'form':
    case 'review':
      return join(press.args);
    case 'undo':
      return `${press.installation} ${press.number}`;
    case 'share':
    case 'file':
      return press.id;
    case 'page':
      return `${press.from} ${press.id}`;
    case 'checklist':
      return `${press.at} ${press.id}`;
    case 'call':
      return `${press.page}${press.of ? ` ${press.of.installation} ${press.of.number}` : ''}`;
    case 'note':
    case 'without':
    case 'decision':
      return `${press.installation} ${press.number} ${press.version} ${press.verdict}`;
  }
}

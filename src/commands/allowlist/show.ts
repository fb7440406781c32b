import { getAllowedIps } from '../../hosting/contract/ssh.ts';
import { say } from '../../text.ts';
import { environment } from '../kit/fields.ts';
import { counted, readAt, paragraph } from '../kit/page.ts';
import { report } from '../kit/report.ts';
import { emptyIsUnknown } from './listing.ts';

export const allowlistShow = report({
  summary: 'Show who may connect over SSH and SFTP',
  button: 'Show allowlist',
  examples: ['acme-shop/live'],
  fields: { env: environment() },
  target: 'env',
  show: async ({ input, read, now }) => {
    const list = await read(getAllowedIps({ env_id: input.env.id }));
    return {
      title: say`**${input.env.name} · SSH allowlist** · ${counted(list.length, 'address', 'addresses')}`,
      parts: [
        list.length === 0
          ? paragraph(`The list is empty. ${emptyIsUnknown}`)
          : { kind: 'code', text: list.map(shownEntry).join('\n') },
      ],
      source: readAt(now),
      offers: [{ label: 'Add an address', opens: 'form', args: ['allowlist', 'add', input.env.id] }],
    };
  },
});

/** An entry as the host lists it, on a line that is never empty. */
const shownEntry = (entry: string): string => (entry.trim() === '' ? '(an empty entry)' : entry);

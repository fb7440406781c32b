import { say } from '../../words/text.ts';
import { environment } from '../kit/fields.ts';
import { counted, readAt, paragraph } from '../kit/page.ts';
import { report } from '../kit/report.ts';
import { emptyIsUnknown, endsOf, lookAtAllowlist, remarksOn, timedOf } from './listing.ts';

export const allowlistShow = report({
  summary: 'Show who may connect over SSH and SFTP',
  button: 'Show allowlist',
  also: `
    allowlist, allow list, ssh allowlist, ssh access, ip, which ip, ip allow, allow address, which ip allow on,
    which ip permission, ip permission ssh, who may ssh, who can ssh, who may connect, who can connect, who connect
    ssh, who log in ssh, who has access, who has ssh, who get in, who can get in, who may enter, who can enter`,
  examples: ['acme-shop/live'],
  shows: ['timers'],
  fields: { env: environment() },
  target: 'env',
  show: async ({ input, now, withheld, ...sources }) => {
    const snapshot = await lookAtAllowlist({ input, ...sources });
    const { list } = snapshot;
    const hidden = withheld('timers', input.env);
    const remarks = remarksOn(list);
    const timed = timedOf(
      snapshot,
      snapshot.timed.map(({ address }) => address),
    );
    return {
      title: say`**${input.env.name} · SSH allowlist** · ${counted(list.length, 'address', 'addresses')}`,
      parts: [
        list.length === 0
          ? paragraph(`The list is empty. ${emptyIsUnknown}`)
          : { kind: 'code', text: list.map(shownEntry).join('\n') },
        ...(remarks ? [paragraph(remarks)] : []),
        ...(timed.length > 0 ? [paragraph(say`Timed access ends: ${endsOf(timed)}.`)] : []),
        ...(hidden ? [paragraph(say`When timed access ends is ${hidden}`)] : []),
      ],
      source: readAt(now),
      offers: [{ label: 'Add an address', opens: 'form', args: ['allowlist', 'add', input.env.id] }],
    };
  },
});

/** An entry as the host lists it, on a line that is never empty. */
const shownEntry = (entry: string): string => (entry.trim() === '' ? '(an empty entry)' : entry);

import { code, inline, mention, sample, say, time, typed } from '../../words/text.ts';
import { addressesInShort } from '../allowlist/listing.ts';
import { builtin } from '../kit/builtin.ts';
import { anyEnvironment } from '../kit/fields.ts';
import { counted, listOr } from '../kit/page.ts';

export const timers = builtin({
  summary: 'List timed access over SSH and SFTP',
  button: 'List timers',
  also: `
    timed access, who has temporary access, expiring access, running timer, access end, when access end, access
    until, when does access expire`,
  right: 'read',
  examples: ['', 'acme-shop/live'],
  fields: { env: anyEnvironment() },
  answer: async ({ input: { env }, queryService }) => {
    const { lines, more } = await queryService.timers(env);
    const [first] = lines;
    const title = env ? `Timed access to ${env.name}` : 'Timed access';
    return {
      title: say`**${title}** · ${more ? `the next ${lines.length}` : counted(lines.length, 'timer')}`,
      parts: listOr(
        say`No timed access that you can see.`,
        lines.map(
          ({ change, addresses, env: { name }, requester, endsAt, standing = inline('open') }) =>
            say`${code(`#${change}`)} ${addressesInShort(addresses)} on ${name} · ${mention(requester)} · until ${time(endsAt, 'date')} · ${standing}`,
        ),
      ),
      ...(first && {
        source: say`${typed(`timers cancel ${first.change}`)} ends the access of #${first.change} now; ${sample('allowlist add')} with \`--for\` gives it more time, and without \`--for\` lets it stay for good`,
      }),
    };
  },
});

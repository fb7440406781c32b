import { Refusal } from '../../base/errors.ts';
import { getLogs, logFiles } from '../../hosting/contract/environment.ts';
import { code, say } from '../../words/text.ts';
import { choice, count, environment, option, optional, wordField, withHint } from '../kit/fields.ts';
import { addressesIn } from './masking.ts';
import { counted, paragraph } from '../kit/page.ts';
import { report } from '../kit/report.ts';
import { eachChunk, mapInChunks } from './section.ts';

const defaultLines = 20_000;

/** A visitor's alias, as log pages show it. */
const visitor = wordField<string>('Alias', {
  shown: 'client-3f2a1c',
  hint: 'As a page of the log shows it.',
  takes: 'a visitor',
  read: ([first = '']) => {
    const alias = /^client-[\da-f]{4,64}$/.exec(first.toLowerCase())?.[0];
    if (alias !== undefined) return alias;
    throw new Refusal(`An alias looks like client-3f2a1c, not “${first.slice(0, 40)}”. Nothing was done.`);
  },
});

export const logsReveal = report({
  summary: "Show the address behind a visitor's alias; your request is recorded",
  button: 'Reveal a visitor',
  also: `
    reveal, reveal visitor, reveal address, unmask, who is client, who is visitor, real address, real ip,
    <visitor>, who <visitor>, who behind <visitor>, ip of <visitor>, real ip <visitor>`,
  examples: ['acme-shop/live client-3f2a1c access'],
  right: 'named',
  noted: 'reveal',
  fields: {
    env: environment(),
    visitor,
    log: withHint('Where to look; left out, the access log.', optional(choice('Log', ['access', 'error', 'cache']))),
    lines: withHint('How many of the newest lines are read.', option(count('Lines', 1, defaultLines))),
  },
  target: 'env',
  show: async ({ input: { env, visitor, log = 'access', lines = defaultLines }, read, alias }) => {
    const text = await read(getLogs({ env_id: env.id, file_name: logFiles[log], lines }));
    const seen = new Map<string, number>();
    await eachChunk(text.split('\n'), (lines) => {
      for (const line of lines)
        for (const address of new Set(addressesIn(line))) seen.set(address, (seen.get(address) ?? 0) + 1);
    });
    // Once per address, not per line: computing an alias takes longest.
    const times = await mapInChunks([...seen], (some) => some.filter(([address]) => alias(address) === visitor));
    return {
      title: say`**${visitor}** · ${env.name}, ${log} log`,
      parts: [
        times.length === 0
          ? paragraph(`No visitor of the newest ${counted(lines, 'line')} has this alias. Try another log.`)
          : paragraph(...times.map(([address, amount]) => say`${code(address)} in ${counted(amount, 'line')}`)),
      ],
      source: 'only you can see this; your request is in the audit trail',
    };
  },
});

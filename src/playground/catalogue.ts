import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { projectRoot } from './place.ts';
import { type Fields, isFields, parseJson } from './slack/json.ts';

/** The commands of the bot, as its own program prints them. */
export type Catalogue = {
  /** One object for each command; rejects with one sentence where the program did not print them. */
  commands(): Promise<readonly Fields[]>;
  close(): void;
};

const MOST_MS = 30_000;
const run = promisify(execFile);

/** Runs the program that prints what people can say, once, in a process of its own. */
export function readCatalogue(program = 'src/catalogue-cli.ts'): Catalogue {
  const closing = new AbortController();
  const printed = run(process.execPath, ['--import', './src/node-version.js', program], {
    cwd: projectRoot,
    env: {},
    timeout: MOST_MS,
    signal: closing.signal,
  });
  const commands = printed.then(
    ({ stdout }) => stdout.split('\n').map(parseJson).filter(isFields),
    () => {
      throw new Error('The commands could not be read, so none are suggested. Type them all the same.');
    },
  );
  // Nobody may ask before it ends.
  commands.catch(() => undefined);
  return { commands: () => commands, close: () => closing.abort() };
}

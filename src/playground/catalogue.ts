import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { sitehand } from './beside.ts';
import { type Fields, isFields, parseJson } from './slack/json-fields.ts';

/** The bot's commands, as its own program prints them. */
export type Catalogue = {
  /** One object per command. Rejects with one sentence if the program fails. */
  commands(): Promise<readonly Fields[]>;
  close(): void;
};

const TIMEOUT_MS = 30_000;
const run = promisify(execFile);

/** Runs the program that prints the catalogue, once, in its own process, when somebody first asks. */
export function readCatalogue(words: readonly string[] = [...sitehand, 'commands']): Catalogue {
  const closing = new AbortController();
  async function read(): Promise<readonly Fields[]> {
    const options = { env: {}, timeout: TIMEOUT_MS, signal: closing.signal };
    const { stdout } = await run(process.execPath, words, options).catch(() => {
      throw new Error("I couldn't read the list of commands, so I can't suggest any. You can still type them.");
    });
    return stdout.split('\n').map(parseJson).filter(isFields);
  }
  let commands: Promise<readonly Fields[]> | undefined;
  return { commands: () => (commands ??= read()), close: () => closing.abort() };
}

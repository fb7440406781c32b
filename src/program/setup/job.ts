import { join } from 'node:path';
import { type Options, type Prompts, Stopped } from './prompts.ts';
import { stateOf, writeWhole, type WholeFile } from './files.ts';
import { mistakeIn, valueIn, type SettingName, type Settings } from './settings.ts';

/** What the steps of one setup share. */
export type Job = {
  readonly folder: string;
  readonly options: Options;
  /** The steps fill this in. */
  readonly settings: Settings;
  /** Undefined: there is nobody to ask. */
  readonly prompts: Prompts | undefined;
  readonly tell: (text: string) => void;
  /** The names of the files that were written so far. */
  readonly written: string[];
};

/** `test`: says in a sentence what is wrong with a well-formed value; undefined if nothing is known to be wrong. */
type Question = {
  readonly name: SettingName;
  readonly ask: (prompts: Prompts) => Promise<string>;
  readonly test?: () => Promise<string | undefined>;
};

/**
 * Takes the given setting, or asks for it until it is right. Throws `Stopped` if it is wrong or missing and there is
 * nobody to ask.
 */
export async function obtain({ settings, prompts }: Job, { name, ask, test }: Question): Promise<void> {
  for (;;) {
    if (prompts && valueIn(settings, name) === undefined && settings[`${name}_FILE`] === undefined) {
      const answer = await ask(prompts);
      if (answer !== '') settings[name] = answer;
    }
    const mistake = mistakeIn(settings, name) ?? (await test?.());
    if (mistake === undefined) return;
    if (!prompts) throw new Stopped(`${mistake}.`, 'wrong');
    prompts.tell(`${mistake}.`);
    delete settings[name];
    delete settings[`${name}_FILE`];
  }
}

/**
 * Puts a file into the folder. A file with other content is replaced only if somebody agrees. Resolves with false if it
 * was kept. `lines`: which of its lines are not as they were, if the rest is.
 */
export async function placeFile(
  job: Job,
  {
    name,
    text,
    mode,
    lines,
  }: Pick<WholeFile, 'text' | 'mode'> & { readonly name: string; readonly lines?: readonly string[] },
): Promise<boolean> {
  const { folder, options, prompts, tell, written } = job;
  const path = pathWithin(folder, name);
  try {
    const state = stateOf({ path, text, mode });
    if (state === 'same') {
      tell(`${name} is already as it should be.`);
      return true;
    }
    const isOther = state === 'other' && lines?.length !== 0 && !options.overwrite;
    const question = lines
      ? `${name} has other lines for ${lines.join(', ')}. Change them?`
      : `${name} is already there. Replace it?`;
    // What replaces a line was just answered.
    if (isOther && !(await prompts?.confirm(question, lines !== undefined))) {
      const would = `With --overwrite ${lines ? `${lines.join(', ')} would change` : 'it would be replaced'}.`;
      tell(`${name} is already there and stays as it is.${prompts ? '' : ` ${would}`}`);
      return false;
    }
    writeWhole({ path, text, mode });
  } catch (error) {
    if (error instanceof Stopped || !(error instanceof Error)) throw error;
    throw new Stopped(`${name} cannot be written: ${error.message}.`, 'look');
  }
  written.push(name);
  tell(`${name} was written.`);
  return true;
}

/** The path of a file with this name; a name can be a whole path. */
export const pathWithin = (folder: string, name: string): string => (name.startsWith('/') ? name : join(folder, name));

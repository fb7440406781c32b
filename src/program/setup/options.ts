import { readFileSync, statSync } from 'node:fs';
import { parseArgs, parseEnv } from 'node:util';
import type { EnvironmentVariables } from '../../config.ts';
import { errorMessage } from '../../errors.ts';
import { otherThanFile } from '../../regular-file.ts';
import { Stopped } from './stopped.ts';

/** The options of `setup`. A secret is never one: other users of the machine can see a program's arguments. */
export type Options = ReturnType<typeof optionsOf>;

const usage =
  'Use setup [--leads U…,U…] [--developers U…,S…] [--ops-channel C…] [--request-url https://…/slack/events] ' +
  '[--settings FILE, or - for standard input] [--overwrite]. Everything else is a variable, such as SLACK_BOT_TOKEN.';

/** Reads the words after `setup`. Throws `Stopped` if they cannot be understood or a file cannot be read. */
export function optionsOf(words: readonly string[]) {
  const { values } = valuesIn(words);
  const requestUrl = values['request-url'];
  if (requestUrl !== undefined && !isRequestUrl(requestUrl))
    throw new Stopped(`--request-url must be ${requestUrlForm}, with the public name of your machine.`, 'wrong');
  return {
    /** Ids of people and Slack user groups. */
    leads: splitIds(values.leads),
    developers: splitIds(values.developers),
    /** The id of a channel. */
    ops: values['ops-channel'],
    /** Where Slack delivers over HTTP. */
    requestUrl,
    /** Whether to replace files that have other content. */
    overwrite: values.overwrite ?? false,
    /** The settings from a file or standard input, in the form of `.env`. */
    settings: values.settings === undefined ? {} : settingsFrom(values.settings),
  };
}

export const requestUrlForm = 'https://YOUR-HOST/slack/events';
export const isRequestUrl = (url: string): boolean =>
  /^https:\/\/[^\s?#]+\/slack\/events$/.test(url) && URL.canParse(url) && new URL(url).hostname !== 'your-host';

export const splitIds = (text = ''): readonly string[] => [...new Set(text.split(/[\s,]+/).filter((id) => id !== ''))];

function valuesIn(words: readonly string[]) {
  try {
    const text = { type: 'string' } as const;
    return parseArgs({
      args: [...words],
      options: {
        leads: text,
        developers: text,
        'ops-channel': text,
        'request-url': text,
        settings: text,
        overwrite: { type: 'boolean' },
      },
    });
  } catch {
    // Don't repeat the words: one may be a secret.
    throw new Stopped(usage, 'wrong');
  }
}

function settingsFrom(file: string): EnvironmentVariables {
  try {
    const other = file === '-' ? undefined : otherThanFile(statSync(file));
    if (other) throw new Error(`${file} is ${other}; pass them on standard input, with --settings -`);
    return parseEnv(readFileSync(file === '-' ? 0 : file, 'utf8'));
  } catch (error) {
    throw new Stopped(`The settings cannot be read: ${errorMessage(error)}.`, 'wrong');
  }
}

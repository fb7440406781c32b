import { existsSync } from 'node:fs';
import { lineFor } from './base/beside.ts';
import { unknownAmong } from './policy/yaml-document.ts';

/** The program `sitehand`, which people run on the machine. */

type Words = readonly string[];
type Program = {
  /** The words with which it is called, for the help. */
  readonly usages: readonly (readonly [words: string, summary: string])[];
  /** It works with any settings, and so reads no `.env`. */
  readonly needsNoSettings?: true;
  /** It answers `--help` itself. */
  readonly hasOwnHelp?: true;
  /** Resolves with the exit code; undefined: it runs until it is stopped. Loads only the code that it needs. */
  readonly run: (words: Words) => Promise<number | undefined>;
};

/** Exit codes: done, wrong words or settings. Some commands have more. */
const ends = { done: 0, wrong: 2 } as const;

const programs: Readonly<Record<string, Program>> = {
  start: {
    usages: [['start', 'Start the bot']],
    run: async (words) => {
      if (words.length > 0) return refuse('start takes no further words');
      return (await import('./main.ts')).main();
    },
  },
  playground: {
    usages: [['playground [OPTIONS]', 'Try it in a browser, without an account; --help lists the options']],
    needsNoSettings: true,
    hasOwnHelp: true,
    run: async (words) => (await import('./playground/main.ts')).runPlayground(words),
  },
  setup: {
    usages: [
      ['setup [OPTIONS]', 'Connect to Slack and the host: ask, try, and write app-manifest.yml, policy.yml and .env'],
    ],
    hasOwnHelp: true,
    run: async (words) => (await import('./program/setup/setup.ts')).setup(words),
  },
  doctor: {
    usages: [['doctor [--json]', 'Check that everything Sitehand needs works']],
    run: async (words) => (await import('./program/doctor.ts')).doctor(words),
  },
  policy: {
    usages: [
      ['policy check [FILE]', 'Name every mistake in a policy file; without FILE in the one of POLICY_FILE'],
      [
        'policy explain "@GROUP COMMAND" [--on "friday 18:00"]',
        'Say who may run a command, by which rule, who could approve it, and whether a freeze holds it',
      ],
      ['policy test [FILE]', 'Compare the policy with what policy.test.yml, or FILE, expects of it'],
    ],
    run: async (words) => (await import('./program/policy.ts')).policy(words),
  },
  audit: {
    usages: [
      ['audit verify', 'Check that nobody has altered the audit trail'],
      ['audit confirm', 'Confirm the audit trail as it stands, once you know why it is altered or not provable'],
      ['audit export csv|jsonl [--since 7d]', 'Write the audit trail to standard output'],
    ],
    run: async (words) => (await import('./program/audit.ts')).audit(words),
  },
  backup: {
    usages: [['backup FILE', 'Copy the database to a file, beside the bot, and check the copy']],
    run: async (words) => (await import('./program/backup.ts')).backup(words),
  },
  restore: {
    usages: [['restore FILE', 'Fill an empty database from a backup']],
    run: async (words) => (await import('./program/restore.ts')).restore(words),
  },
  ask: {
    usages: [['ask LINE [OPTIONS]', 'Ask a running bot as a program, and wait for people; --help lists the options']],
    needsNoSettings: true,
    hasOwnHelp: true,
    run: async (words) => (await import('./program/ask.ts')).ask(words),
  },
  mcp: {
    usages: [['mcp', 'Let an agent on this machine read and propose, by the Model Context Protocol']],
    needsNoSettings: true,
    run: async () => (await import('./program/mcp.ts')).mcp(),
  },
  caller: {
    usages: [['caller new', 'Make a key for a program that asks, and its hash for the policy file']],
    needsNoSettings: true,
    run: async (words) => (await import('./program/caller.ts')).caller(words),
  },
  commands: {
    usages: [['commands', 'List the slash commands, one line of JSON each']],
    needsNoSettings: true,
    run: async () => (await import('./program/about.ts')).commands(),
  },
  help: { usages: [['help', 'Show this']], needsNoSettings: true, run: () => help() },
  '--version': {
    usages: [['--version', 'Show the version']],
    needsNoSettings: true,
    run: async () => (await import('./program/about.ts')).version(),
  },
  about: { usages: [], needsNoSettings: true, run: async () => (await import('./program/about.ts')).about() },
};

/** Runs one command. Settings missing from the environment come from `.env` in the current folder. */
export async function sitehand([name = 'about', ...words]: Words): Promise<void> {
  // The reader may stop early: `| head`. Then an export has nobody to write for. Everything else goes on, because the
  // exit code says what was done. A bot ends with a sentence of its own.
  const isExport = name === 'audit' && words[0] === 'export';
  const onLost = (): void => void (isExport && process.exit(ends.wrong));
  if (name !== 'start') for (const output of [process.stdout, process.stderr]) output.on('error', onLost);
  const named = Object.hasOwn(programs, name) ? programs[name] : undefined;
  const isHelp = ['--help', '-h'].includes(name) || (words.includes('--help') && !named?.hasOwnHelp);
  const program = isHelp ? programs['help'] : named;
  if (!program?.needsNoSettings && !readSettings()) return;
  const code = program ? await program.run(words) : refuse(unknownAmong('word', name, Object.keys(programs)));
  if (code !== undefined) process.exitCode = code;
}

async function help(): Promise<number> {
  const usages = Object.values(programs).flatMap((program) => program.usages);
  const width = Math.max(...usages.map(([words]) => words.length));
  const lines = usages.map(([words, summary]) => `  ${words.padEnd(width)}  ${summary}`);
  process.stdout.write(
    `Type one of these after ${lineFor('').trimEnd()}:\n\n${lines.join('\n')}\n\nSettings come from the environment and from .env in this folder.\n`,
  );
  return ends.done;
}

/** Reads the settings in `.env`, if it exists. If it can't be read, prints a sentence and returns false. */
function readSettings(): boolean {
  if (!existsSync('.env')) return true;
  try {
    process.loadEnvFile('.env');
    return true;
  } catch (error) {
    process.exitCode = refuse(
      `.env in this folder cannot be read: ${error instanceof Error ? error.message : 'no reason given'}`,
    );
    return false;
  }
}

function refuse(why: string): number {
  const sentence = `${why[0]?.toUpperCase()}${why.slice(1)}${why.endsWith('?') ? '' : '.'}`;
  process.stderr.write(`${sentence} Nothing was done. Try: ${lineFor('help')}\n`);
  return ends.wrong;
}

if (import.meta.main) await sitehand(process.argv.slice(2));

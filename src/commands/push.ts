import { listFiles } from '../hosting/contract/environment.ts';
import { pushEnvironment } from '../hosting/contract/sites.ts';
import { joined, list, say, time, type Text } from '../words/text.ts';
import { action } from './kit/action.ts';
import { backupFact, backupWarning, newestIfReadable, type CardBackup } from './backups/newest.ts';
import { environment, flag, option, wordField, type Input, type PlainField, withHint } from './kit/fields.ts';
import { counted } from './kit/page.ts';
import { isOnePath, readPaths, pathsOf } from './files/paths.ts';
import { sinceArg } from './kit/values/times.ts';

const shownPaths = 8;
/** Files and folders below the root of a site, separated by commas or line breaks. */
const paths = (label: string): PlainField<readonly string[], false> =>
  wordField(label, {
    many: true,
    shown: 'path,…',
    takes: 'a path',
    example: 'wp-content/uploads, one per line',
    read: readPaths,
  });

const fields = {
  from: withHint('It is copied, and stays as it is.', environment('From')),
  onto: withHint('Another one of the same site; it is overwritten.', environment('Onto')),
  files: withHint('All files, or only some paths.', flag('Files', ['file'])),
  database: withHint(
    'The whole database: what people have written there since is lost.',
    flag('Database', ['db', 'data', 'mysql', 'sql']),
  ),
  searchReplace: withHint(
    'The host changes the addresses of the source in the database to those of the target.',
    flag('Search and replace'),
  ),
  only: withHint('Files and folders below the root of the site; other files stay.', option(paths('Only these paths'))),
};

export const push = action({
  summary: 'Overwrite one environment with another',
  button: 'Push an environment',
  also: `
    new version, put live, bring live, go live, deploy, copy, copy over, sync, synchronize, mirror, promote,
    overwrite, release, ship, publish, move, pull, refresh from, transfer, roll out, merge, upload, deploy
    <environment> <environment>, bring <environment> <environment>, put <environment> <environment>, <environment>
    <environment>`,
  examples: [
    'acme-shop/staging acme-shop/live --files',
    'acme-shop/live acme-shop/staging --files --database',
    'acme-shop/staging acme-shop/live --files --only wp-content/themes',
  ],
  risk: 'destructive',
  shows: ['files'],
  mayBreakSite: true,
  fields,
  dependent: {
    only: {
      on: ['from', 'files'],
      asked: ({ files }) => files === true,
      choices: async ({ input: { from }, read }) =>
        from === undefined
          ? []
          : [...pathsOf((await read(listFiles({ env_id: from.id }))).entries).keys()].filter(isOnePath),
    },
  },
  target: 'onto',
  alsoReads: ['from'],
  invalid: ({ from, onto, files, database, only }) => {
    if (from.id === onto.id) return { field: 'onto', says: say`From and onto are both ${onto.name}. ${nothing}` };
    if (from.site?.id === undefined || onto.site?.id === undefined) return { field: 'onto', says: noSite, hint: pinIt };
    if (from.site.id !== onto.site.id) return { field: 'onto', says: say`A push stays inside one site. ${nothing}` };
    if (!files && !database) return { field: 'files', says: unsaid, hint: sayWhich, unsaid: true };
    if (only && !files)
      return { field: 'only', says: say`Paths only work with files, and files are not being pushed. ${nothing}` };
    return undefined;
  },
  look: async ({ input, read }) => ({ backup: await newestIfReadable(read, input.onto) }),
  // A backup made in the meantime must not stop an approved push.
  preconditions: () => null,
  call: ({ input: { from, onto, files, database, searchReplace, only } }) =>
    pushEnvironment({
      site_id: onto.site?.id ?? '',
      source_env_id: from.id,
      target_env_id: onto.id,
      push_db: database,
      push_files: files,
      run_search_and_replace: searchReplace,
      push_files_option: only ? 'SPECIFIC_FILES' : 'ALL_FILES',
      ...(only && { file_list: only }),
    }),
  card: ({ input, snapshot, now }) => ({
    title: say`Push ${input.from.name} → ${input.onto.name}: ${carried(input, 'database')}`,
    done: say`Pushed ${input.from.name} → ${input.onto.name}: ${carried(input, 'database')}`,
    warning: joined([...lost(input), backupWarning(input.onto, snapshot.backup, now)], '\n'),
    facts: {
      Files: !input.files ? 'no' : (listed(input.only) ?? 'all'),
      Database: input.database ? 'yes' : 'no',
      'Search and replace': input.searchReplace ? 'yes' : 'no',
      [`Newest backup of ${input.onto.name}`]: backupFact(snapshot.backup),
    },
  }),
  traces: ({ input: { onto }, snapshot, current: { backup }, sentAt }) => {
    const at = timeOf(backup);
    const isOld = at !== undefined && at === timeOf(snapshot.backup);
    // An old one that is dated in the future hides a new one.
    const isHidden = isOld && at > sentAt + clockSkewMs;
    if (backup === 'unreadable' || isHidden || (backup !== null && at === undefined))
      return say`The host makes a backup of ${onto.name} before a push, and I can't tell whether there is a new one. Please check the host's panel.`;
    const isNew = at !== undefined && at >= sentAt - clockSkewMs && !isOld;
    return isNew
      ? say`A backup of ${onto.name} (${backup?.type}) was made at ${time(at)}. The host makes one before a push, so it probably started.`
      : say`The host makes a backup of ${onto.name} before a push, and there is no new one. It may not have started, or not yet.`;
  },
  after: 'A push usually takes some minutes.',
  next: ({ input: { onto }, sentAt }) => [
    { label: `Clear the cache of ${onto.name}`, args: ['cache', 'clear', onto.id] },
    { label: 'Error log since the push', args: ['logs', onto.id, 'error', sinceArg(sentAt)] },
  ],
});

const timeOf = (backup: CardBackup): number | undefined =>
  backup === 'unreadable' || backup === null ? undefined : backup.at;

/** The host's clock may differ from ours. */
const clockSkewMs = 5_000;
const nothing = 'Nothing was done.';
const unsaid = say`What should be pushed? ${nothing}`;
const sayWhich = say`Choose the files, the database, or both; typed, that is \`--files\` and \`--database\`.`;
const noSite = say`The host doesn't tell me which site these belong to, and a push needs its site. ${nothing}`;
const pinIt = say`The person who looks after the policy file can name it there under \`sites\`.`;

/** What it carries: `database and all files`. */
const carried = ({ files, database, only }: Input<typeof fields>, databaseWord: string): string =>
  [...(database ? [databaseWord] : []), ...(files ? [only ? counted(only.length, 'path') : 'all files'] : [])].join(
    ' and ',
  );

/** What will be lost, the worst first. *Approve* asks with it, in 300 characters together with the title. */
function lost(input: Input<typeof fields>): readonly (Text | undefined)[] {
  const what = carried(input, 'the DATABASE');
  return [
    joined([
      say`**${what.charAt(0).toUpperCase()}${what.slice(1)} of ${input.onto.name} will be replaced.**`,
      input.database ? say`Newer orders, users and comments there are lost.` : undefined,
    ]),
    say`Redirects, geolocation, PHP and server settings are replaced too.`,
  ];
}

const listed = (only: readonly string[] | undefined): Text | undefined => only && say`only ${list(only, shownPaths)}`;

import type { AnyAction } from './kit/action.ts';
import { allowlistAdd } from './allowlist/add.ts';
import { allowlistFind } from './allowlist/find.ts';
import { allowlistRemove } from './allowlist/remove.ts';
import { allowlistSet } from './allowlist/set.ts';
import { allowlistShow } from './allowlist/show.ts';
import { backupsList } from './backups/list.ts';
import { backupsNext } from './backups/next.ts';
import { cacheClear } from './cache/clear.ts';
import { check } from './check.ts';
import { clone } from './clone.ts';
import { deletion } from './delete.ts';
import type { AnyBuiltin } from './kit/builtin.ts';
import { about } from './builtin/about.ts';
import { auditExport } from './builtin/audit/export.ts';
import { auditVerify } from './builtin/audit/verify.ts';
import { audit } from './builtin/audit.ts';
import { can } from './builtin/can.ts';
import { change } from './builtin/change.ts';
import { changes } from './builtin/changes.ts';
import { changesExport } from './builtin/changes/export.ts';
import { doctor } from './builtin/doctor.ts';
import { environments } from './builtin/environments.ts';
import { help } from './builtin/help.ts';
import { lock } from './builtin/lock.ts';
import { pause } from './builtin/pause.ts';
import { pauseCallers } from './builtin/pause/callers.ts';
import { queue } from './builtin/queue.ts';
import { queueLeave } from './builtin/queue/leave.ts';
import { resume } from './builtin/resume.ts';
import { resumeCallers } from './builtin/resume/callers.ts';
import { status } from './builtin/status.ts';
import { timers } from './builtin/timers.ts';
import { timersCancel } from './builtin/timers/cancel.ts';
import { unlock } from './builtin/unlock.ts';
import { use } from './builtin/use.ts';
import { digest } from './builtin/digest.ts';
import { watch } from './builtin/watch.ts';
import { watchStop } from './builtin/watch/stop.ts';
import { watches } from './builtin/watches.ts';
import { whoami } from './builtin/whoami.ts';
import { files } from './files.ts';
import { images } from './images.ts';
import { dnsList } from './dns/list.ts';
import { dnsSet } from './dns/set.ts';
import { domainsAdd } from './domains/add.ts';
import { domainsList } from './domains/list.ts';
import { domainsRecords } from './domains/records.ts';
import { logs } from './logs.ts';
import { logsReveal } from './logs/reveal.ts';
import { push } from './push.ts';
import { redirectsAdd } from './redirects/add.ts';
import { redirectsClear } from './redirects/clear.ts';
import { redirectsEdit } from './redirects/edit.ts';
import { redirectsList } from './redirects/list.ts';
import { redirectsRemove } from './redirects/remove.ts';
import type { AnyReport } from './kit/report.ts';
import { sshExpiry } from './ssh/expiry.ts';
import { sshPassword } from './ssh/password.ts';
import { themesList } from './themes/list.ts';
import { themesShow } from './themes/show.ts';
import { themesUpdate } from './themes/update.ts';

export type Command = AnyAction | AnyReport | AnyBuiltin;

const entries = [
  ['status', status],
  ['push', push],
  ['delete', deletion],
  ['clone', clone],
  ['cache clear', cacheClear],
  ['images', images],
  ['ssh expiry', sshExpiry],
  ['ssh password', sshPassword],
  ['allowlist show', allowlistShow],
  ['allowlist find', allowlistFind],
  ['allowlist add', allowlistAdd],
  ['allowlist remove', allowlistRemove],
  ['allowlist set', allowlistSet],
  ['redirects list', redirectsList],
  ['redirects add', redirectsAdd],
  ['redirects edit', redirectsEdit],
  ['redirects remove', redirectsRemove],
  ['redirects clear', redirectsClear],
  ['themes list', themesList],
  ['themes show', themesShow],
  ['themes update', themesUpdate],
  ['domains list', domainsList],
  ['domains add', domainsAdd],
  ['domains records', domainsRecords],
  ['dns list', dnsList],
  ['dns set', dnsSet],
  ['backups list', backupsList],
  ['backups next', backupsNext],
  ['check', check],
  ['logs', logs],
  ['logs reveal', logsReveal],
  ['watch', watch],
  ['watches', watches],
  ['watch stop', watchStop],
  ['digest', digest],
  ['files', files],
  ['environments', environments],
  ['changes', changes],
  ['changes export', changesExport],
  ['change', change],
  ['timers', timers],
  ['timers cancel', timersCancel],
  ['can', can],
  ['audit', audit],
  ['audit verify', auditVerify],
  ['audit export', auditExport],
  ['use', use],
  ['lock', lock],
  ['unlock', unlock],
  ['queue', queue],
  ['queue leave', queueLeave],
  ['pause', pause],
  ['resume', resume],
  ['pause callers', pauseCallers],
  ['resume callers', resumeCallers],
  ['help', help],
  ['whoami', whoami],
  ['doctor', doctor],
  ['about', about],
] as const;
type Entry = (typeof entries)[number];

/** All commands, in the order in which help shows them. The key is the path that is typed after `/site`. */
export const catalogue: ReadonlyMap<string, Command> = new Map<string, Command>(entries);

/** The commands about Sitehand itself, by their paths. */
export type Builtins = {
  readonly [E in Extract<Entry, readonly [string, { readonly shape: 'builtin' }]> as E[0]]: E[1];
};

/** The command of this path; a path that does not exist is a mistake in the program. */
export function commandAt(path: string): Command {
  const command = catalogue.get(path);
  if (command === undefined) throw new Error(`there is no command ${path}`);
  return command;
}

/** Whether a command changes something, at the host or here. */
export const changesSomething = (command: Command): boolean =>
  command.shape === 'action' || (command.shape === 'builtin' && command.changes === true);

/** The commands people use most; they come first. */
const mostUsed: readonly string[] = [
  'status',
  'cache clear',
  'push',
  'logs',
  'backups list',
  'allowlist add',
  'changes',
  'environments',
];

/** The eight of these commands that people use most. If there are fewer, others fill up. */
export function firstOf<T extends { readonly path: string }>(commands: readonly T[]): readonly T[] {
  const first = mostUsed.flatMap((path) => commands.find((one) => one.path === path) ?? []);
  return [...first, ...commands.filter((one) => !first.includes(one))].slice(0, mostUsed.length);
}

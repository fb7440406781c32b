import type { AnyAction } from './action.ts';
import { allowlistAdd } from './allowlist/add.ts';
import { allowlistRemove } from './allowlist/remove.ts';
import { allowlistShow } from './allowlist/show.ts';
import { backupsList } from './backups/list.ts';
import { cacheClear } from './cache/clear.ts';
import type { AnyDesk } from './desk.ts';
import { change } from './desk/change.ts';
import { environments } from './desk/environments.ts';
import { help } from './desk/help.ts';
import { whoami } from './desk/whoami.ts';
import { logs } from './logs.ts';
import type { AnyReport } from './report.ts';

export type Command = AnyAction | AnyReport | AnyDesk;

/** Everything people can say, in the order help shows it. The path is what is typed after `/site`. */
export const catalogue: ReadonlyMap<string, Command> = new Map<string, Command>([
  ['cache clear', cacheClear],
  ['allowlist show', allowlistShow],
  ['allowlist add', allowlistAdd],
  ['allowlist remove', allowlistRemove],
  ['backups list', backupsList],
  ['logs', logs],
  ['environments', environments],
  ['change', change],
  ['help', help],
  ['whoami', whoami],
]);

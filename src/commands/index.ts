import type { AnyAction } from './action.ts';
import { allowlistAdd } from './allowlist/add.ts';
import { allowlistRemove } from './allowlist/remove.ts';
import { allowlistShow } from './allowlist/show.ts';
import { backupsList } from './backups/list.ts';
import { cacheClear } from './cache/clear.ts';
import { deletion } from './delete.ts';
import type { AnyDesk } from './desk.ts';
import { auditExport } from './desk/audit/export.ts';
import { auditVerify } from './desk/audit/verify.ts';
import { audit } from './desk/audit.ts';
import { can } from './desk/can.ts';
import { change } from './desk/change.ts';
import { changes } from './desk/changes.ts';
import { environments } from './desk/environments.ts';
import { help } from './desk/help.ts';
import { lock } from './desk/lock.ts';
import { pause } from './desk/pause.ts';
import { resume } from './desk/resume.ts';
import { unlock } from './desk/unlock.ts';
import { whoami } from './desk/whoami.ts';
import { logs } from './logs.ts';
import { push } from './push.ts';
import type { AnyReport } from './report.ts';

export type Command = AnyAction | AnyReport | AnyDesk;

/** Everything people can say, in the order help shows it. The path is what is typed after `/site`. */
export const catalogue: ReadonlyMap<string, Command> = new Map<string, Command>([
  ['push', push],
  ['delete', deletion],
  ['cache clear', cacheClear],
  ['allowlist show', allowlistShow],
  ['allowlist add', allowlistAdd],
  ['allowlist remove', allowlistRemove],
  ['backups list', backupsList],
  ['logs', logs],
  ['environments', environments],
  ['changes', changes],
  ['change', change],
  ['can', can],
  ['audit', audit],
  ['audit verify', auditVerify],
  ['audit export', auditExport],
  ['lock', lock],
  ['unlock', unlock],
  ['pause', pause],
  ['resume', resume],
  ['help', help],
  ['whoami', whoami],
]);

/** Whether a command changes something, at the host or here. */
export const isDeed = (command: Command): boolean =>
  command.shape === 'action' || (command.shape === 'desk' && command.changes === true);

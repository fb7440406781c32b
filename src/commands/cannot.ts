import { code, say, type Text } from '../text.ts';

/** What people ask for that no command does: other words for it, what to say, and the command that comes nearest. */
export type CannotDo = {
  readonly also: string;
  /** What also means it in the thread of a request that waits. */
  readonly replies?: string;
  readonly says: Text;
  readonly instead: string;
};

const onCard = say`Only the buttons on the change's card count, in the channel or on my App Home.`;

export const cannotDo: readonly CannotDo[] = [
  {
    also: `backup now, backup create, backup make, make backup, take backup, snapshot, create backup`,
    says: say`I can't make a backup yet. These are the ones there are:`,
    instead: 'backups list',
  },
  {
    also: `restore, restore backup, rollback, roll back, revert, backup restore, bring back`,
    says: say`I can't bring a backup back yet. These are the ones there are:`,
    instead: 'backups list',
  },
  {
    also: `
      plugin, update plugin, plugin update, plugin list, list plugin, deactivate plugin, disable plugin, install
      plugin, which plugin`,
    says: say`I can't see or change plugins yet, only themes:`,
    instead: 'themes show',
  },
  {
    also: `
      restart, reboot, restart php, restart php-fpm, php-fpm restart, restart site, php restart, restart server,
      reload php, restart nginx`,
    says: say`I can't restart anything yet. Its state:`,
    instead: 'status',
  },
  {
    also: `approve, lgtm, decline, reject, approved, confirm`,
    replies:
      'approved, approve, lgtm, yes, yep, yeah, ok, okay, go, go ahead, ship it, do it, no, nope, fine, sure, +1, :+1:, good',
    says: onCard,
    instead: 'changes',
  },
  {
    also: `undo, undo that, take back`,
    says: say`What can be undone has a button under a reply in its thread, for an hour. ${code('change')} and its number shows it.`,
    instead: 'changes',
  },
  {
    also: `cancel, abort, cancel it, cancel change, cancel push, abort push, stop push`,
    says: say`Press *Cancel* on the change's card. Yours are listed here:`,
    instead: 'changes',
  },
];

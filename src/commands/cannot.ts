import { code, say, typed, type Text } from '../words/text.ts';

/** What people ask for that no command does: other words for it, what to say, and the command that comes nearest. */
export type CannotDo = {
  readonly also: string;
  /** What also means it in the thread of a change that is not sent yet. */
  readonly replies?: string;
  readonly says: Text;
  readonly instead: string;
};

const byButton = say`A change is stopped by **Cancel** or **Stop**, on its card, in its thread or in App Home. What is on its way can't be stopped.`;

/** What people say who want to skip an approval, besides `--break-glass`. */
const emergencyWords =
  'break glass, skip approval, bypass approval, without approval, no approval, override, bypass, force, hotfix';
const emergencyTopics = new Set([...emergencyWords.split(', '), 'emergency', 'urgent']);

/** Whether words, or the name of an option that there is not, ask for `--break-glass`. */
export const meansBreakGlass = (words: string): boolean => emergencyTopics.has(words.replaceAll('-', ' '));

/** What to say of it to somebody who looks for it. */
export const breakGlassMeans = say`In an emergency, ${code('--break-glass --reason "…"')} after a command skips its approval and any freeze, where a rule allows it. Everybody is told, anybody can stop it for ten seconds, and somebody reviews it.`;

/** What a line of one word asks for that means something else in a sentence; undefined: nothing that is known. */
export function wordAlone(word: string): Text | undefined {
  if (meansBreakGlass(word)) return breakGlassMeans;
  return ['stop', 'halt', 'abort'].includes(word) ? byButton : undefined;
}

const onCard = say`Only the buttons on the change's card count, in the channel or on my App Home.`;

export const cannotDo: readonly CannotDo[] = [
  { also: emergencyWords, says: breakGlassMeans, instead: 'can' },
  {
    also: `
      remove backup, backup now, create backup, make backup, take backup, do backup, run backup, snapshot`,
    says: say`I can't make or delete a backup yet.`,
    instead: 'backups list',
  },
  {
    also: `
      restore, restore backup, roll back, roll back backup, bring back, bring back backup, put back backup, go back backup,
      back to backup, back last backup`,
    says: say`I can't bring a backup back yet. At Kinsta, MyKinsta can.`,
    instead: 'backups list',
  },
  {
    also: `
      plugin, update plugin, upgrade plugin, list plugin, which plugin, disable plugin, enable plugin, remove plugin,
      install plugin`,
    says: say`I can't see or change plugins yet, only themes.`,
    instead: 'themes show',
  },
  {
    also: `
      sftp password <environment>, send password, password lost, forgot password, reset password, change
      password, get password, username, user name, credentials, login details, ssh key`,
    says: say`I can't show or change passwords and keys of SSH and SFTP yet, only when passwords expire and whether they are taken.`,
    instead: 'allowlist show',
  },
  {
    also: `
      let <person>, let <person> in, let in <person> ip, <person> ip, give <person> access, access for <person>, add
      <person>, allowlist <person>, remove <person>, kick <person>`,
    says: say`I don't know anybody's address. Please ask for it.`,
    instead: 'allowlist add',
  },
  {
    also: `
      renew certificate, renew, new certificate, install certificate, force https, https redirect`,
    says: say`I can't renew a certificate yet, only look at it.`,
    instead: 'check',
  },
  {
    also: `
      remove domain, detach domain, disconnect domain, domain off, domain away, remove <host>, take off <host>, detach <host>, disconnect <host>, unlink <host>`,
    says: say`I can't take a domain off a site yet.`,
    instead: 'domains list',
  },
  {
    also: `
      php version, set php, change php, upgrade php, update php, switch php, update wordpress, upgrade
      wordpress, core update, core version, wordpress version`,
    says: say`I can't change versions of PHP or WordPress yet, only themes.`,
    instead: 'status',
  },
  {
    also: `
      wpcli, run command, run script, sql, mysql, import database, cron, new user, remove user, reset user, user password, admin password`,
    says: say`I can't run anything on a server, or change users or the database there yet.`,
    instead: 'status',
  },
  {
    also: `
      restart, restart php, restart php-fpm, restart site, restart server, restart nginx, reload php, start php, start
      php new, kick php`,
    says: say`I can't restart anything yet.`,
    instead: 'status',
  },
  {
    also: `approve, approve <change>, approve <number>, lgtm, decline, reject, confirm`,
    replies:
      'approved, approve, lgtm, yes, yep, yeah, ok, okay, go, go ahead, ship it, do it, no, nope, fine, sure, +1, :+1:, good',
    says: onCard,
    instead: 'changes',
  },
  {
    also: `review, review <change>, review <number>, unreviewed`,
    says: say`What was sent by break-glass is reviewed by **Review…**, on its card or in App Home.`,
    instead: 'changes',
  },
  {
    also: `undo, undo that, take back`,
    says: say`What can be undone has a button under a reply in its thread, for an hour. ${typed('change')} and its number shows it.`,
    instead: 'changes',
  },
  {
    also: `cancel, cancel it, cancel change, cancel push, stop push`,
    replies: 'stop, stop it, stop this, cancel, abort, halt, wait',
    says: byButton,
    instead: 'changes',
  },
  { also: `cancel <change>, cancel <number>, stop <change>, stop <number>`, says: byButton, instead: 'change' },
  {
    also: `stop watch <environment>, unwatch <environment>, stop all watch`,
    says: say`A watch is stopped by its number.`,
    instead: 'watches',
  },
  {
    also: `maintenance, maintenance mode, maintenance page, turn on maintenance, coming soon page`,
    says: say`I can't switch a site to maintenance yet.`,
    instead: 'status',
  },
];

import { rights } from './commands/rights.ts';
import type { Config } from './config.ts';
import type { Logger } from './log.ts';
import { tell as mistakeInWords } from './policy/mistakes.ts';
import { openPolicy, type PolicyFile } from './policy/watch.ts';
import { code, joined, say, type Text } from './text.ts';

/** Opens the rules; the log and the ops channel are told when they are read anew, or cannot be. */
export function openPolicyFile(
  config: Pick<Config, 'policyFile'>,
  log: Logger,
  tell: (key: string, text: Text) => void,
): Promise<PolicyFile> {
  return openPolicy(config.policyFile, rights, {
    onReload: ({ hash }) => {
      log.info({ policy: hash.slice(0, 8) }, 'the policy was read anew');
      tell(`policy:${hash}`, say`The policy was read anew and holds from now on (${code(hash.slice(0, 8))}).`);
    },
    onBroken: (mistakes) => {
      log.error({ mistakes }, 'the policy file cannot be used; the last good one still holds');
      const lines = joined(mistakes.slice(0, 10).map(mistakeInWords), '\n');
      tell('policy:broken', say`⚠️ **The policy file cannot be used; the last good one still holds.**\n${lines}`);
    },
  });
}

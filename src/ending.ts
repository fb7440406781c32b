import { ConfigMistakes } from './config.ts';
import type { Logger } from './log.ts';
import { PolicyMistakes } from './policy/mistakes.ts';

/** How a process ends that was not asked to. */

/** The one place where a running process ends by itself: whatever it did next would rest on a database that is lost. */
export function endAtOnce(log: Logger, error: Error): void {
  log.fatal({ err: error }, `Sitehand ends: ${error.message}`);
  process.exit(1);
}

/** What to say of a start that came to nothing: mistakes as a list, everything else in a sentence. */
export function failure(error: unknown): string {
  if (error instanceof ConfigMistakes) {
    const list = error.mistakes.map((mistake) => `  ${mistake}`).join('\n');
    return `Sitehand was not started. These environment variables are not right:\n${list}\nTo try it without any account: npm run playground\n`;
  }
  if (error instanceof PolicyMistakes) return `Sitehand was not started. ${error.message}\n`;
  return `Sitehand was not started: ${error instanceof Error ? error.message : String(error)}\n`;
}

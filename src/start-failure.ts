import { ConfigMistakes } from './config.ts';
import { PolicyMistakes } from './policy/mistakes.ts';

/** What to say of a start that came to nothing: mistakes as a list, everything else in a sentence. */
export function startFailure(error: unknown): string {
  if (error instanceof ConfigMistakes) {
    const list = error.mistakes.map((mistake) => `  ${mistake}`).join('\n');
    return `Sitehand was not started. These environment variables are not right:\n${list}\nTo try it without any account: npm run playground\n`;
  }
  if (error instanceof PolicyMistakes) return `Sitehand was not started. ${error.message}\n`;
  return `Sitehand was not started: ${error instanceof Error ? error.message : String(error)}\n`;
}

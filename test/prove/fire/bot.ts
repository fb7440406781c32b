import { readConfig } from '../../../src/base/config.ts';
import { start } from '../../../src/main.ts';
import { failure, openLog } from '../../../src/program/notices.ts';
import { slackPace } from '../../../src/slack-api/rate-limits.ts';

/** The bot as `main.ts` runs it, without Slack's rates: the stand-in does not enforce them. */

const pace = { ...slackPace, postEveryMs: 0, editsPerMinute: 1_000_000 };
try {
  const { stop } = await start(readConfig(), { ...openLog('info'), pace });
  process.once('SIGTERM', () => void stop().then(() => process.exit(0)));
} catch (error) {
  process.stderr.write(failure(error));
  process.exit(1);
}

import type { Bot } from '../bot.ts';
import type { ControlAnswer, ControlRequest } from '../http.ts';
import { fieldsOf } from '../slack/json-fields.ts';

const SIGNALS = ['SIGTERM', 'SIGKILL', 'SIGINT', 'SIGSTOP', 'SIGCONT'] as const;

/** `GET /`: the bot's state and log; `POST /restart`; `POST /kill` with `{ signal }`, SIGKILL by default. */
export async function controlBot(bot: Bot | undefined, request: ControlRequest): Promise<ControlAnswer | undefined> {
  if (bot === undefined) return { status: 503, body: { error: 'the bot is not started yet' } };
  switch (`${request.method} ${request.path}`) {
    case 'GET /':
      return { status: 200, body: bot.state() };
    case 'POST /restart':
      await bot.restart();
      return { status: 200, body: bot.state() };
    case 'POST /kill': {
      const { signal: named = 'SIGKILL' } = fieldsOf(request.body);
      const signal = SIGNALS.find((each) => each === named);
      if (signal === undefined) return { status: 400, body: { error: `a signal is one of ${SIGNALS.join(', ')}` } };
      bot.kill(signal);
      return { status: 200, body: bot.state() };
    }
    default:
      return undefined;
  }
}

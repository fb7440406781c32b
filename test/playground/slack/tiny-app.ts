import { App, HTTPReceiver, LogLevel, SocketModeReceiver } from '@slack/bolt';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { SlackStandIn } from '../../../src/playground/slack/stand-in.ts';

/** Starts an app that knows only the stand-in's addresses and tokens; `stop` ends it. */
export type TinyApp = { readonly app: App; readonly errors: string[]; stop(): Promise<void> };

const silent = {
  debug() {},
  info() {},
  warn() {},
  error() {},
  setLevel() {},
  getLevel: () => LogLevel.ERROR,
  setName() {},
};

function appOn(slack: SlackStandIn, receiver: SocketModeReceiver | HTTPReceiver): { app: App; errors: string[] } {
  const errors: string[] = [];
  const app = new App({
    receiver,
    token: slack.tokens.bot,
    botId: 'B0SITEHAND',
    botUserId: 'U0SITEHAND',
    logger: silent,
    clientOptions: {
      slackApiUrl: slack.apiUrl,
      timeout: 2000,
      retryConfig: { retries: 0 },
      rejectRateLimitedCalls: true,
    },
  });
  app.error(async (error) => {
    errors.push(error.message);
  });
  return { app, errors };
}

export async function socketApp(slack: SlackStandIn): Promise<TinyApp> {
  const receiver = new SocketModeReceiver({
    appToken: slack.tokens.app,
    logger: silent,
    installerOptions: { clientOptions: { slackApiUrl: slack.apiUrl } },
  });
  const { app, errors } = appOn(slack, receiver);
  await app.start();
  await slack.connected();
  return { app, errors, stop: () => app.stop().then(() => undefined) };
}

export async function httpApp(slack: SlackStandIn): Promise<TinyApp> {
  const receiver = new HTTPReceiver({ signingSecret: slack.tokens.signingSecret, logger: silent });
  const { app, errors } = appOn(slack, receiver);
  const server: Server = await receiver.start({ port: 0, host: '127.0.0.1' });
  const address: AddressInfo | string | null = server.address();
  if (address === null || typeof address === 'string') throw new Error('the app has no port');
  slack.deliverTo(`http://127.0.0.1:${address.port}/slack/events`);
  return { app, errors, stop: () => receiver.stop().then(() => undefined) };
}

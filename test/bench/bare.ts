import bolt from '@slack/bolt';

/** The least that Bolt can be: verifies a signature and acks. What Sitehand costs is measured beside it. */
const receiver = new bolt.HTTPReceiver({ signingSecret: 'bench', endpoints: '/slack/events' });
const app = new bolt.App({
  receiver,
  authorize: () => Promise.resolve({ botToken: 'xoxb-bench', botId: 'B1', botUserId: 'U1' }),
  logger: {
    debug() {},
    info() {},
    warn() {},
    error() {},
    setLevel() {},
    getLevel: () => bolt.LogLevel.ERROR,
    setName() {},
  },
});
app.command(/.*/, async ({ ack }) => ack());
await app.start(Number(process.env['PORT']));

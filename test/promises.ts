/** Sitehand's promises. Each is proven by tests whose names begin with `promise N:`. */
export const promises: Readonly<Record<number, string>> = {
  1: 'A change is written to the hosting API at most once (writes answered 429 apart), counted at the host.',
  2: 'When it is not known, it is called unknown, with how to check.',
  3: 'Nobody approves their own change, on any surface.',
  4: 'Rights are checked again at the moment of sending.',
  5: 'What was shown is what is sent.',
  6: 'No text from sites, logs or people can ping, link or impersonate in a message.',
  7: 'Every change of state is in the audit trail; an altered or removed line shows.',
  8: 'Slack is answered within three seconds, also when the host, the database or Slack itself is slow.',
  9: 'No secret appears in a log, a message or the database.',
};

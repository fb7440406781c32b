import { expect, test } from 'vitest';
import { ids, inHouse, patienceMs } from './house.ts';

const command = '/site push acme-shop/staging acme-shop/live --database --files --reason "release 42"';

test(
  'a push: asked by a developer, typed by name, approved by a lead, cooled down, sent once, followed to its end',
  inHouse({}, async (house) => {
    const [ana, chi] = [house.person('ana'), house.person('chi')];
    await ana.says(command);
    const review = await ana.form('Nothing is sent before it is approved');
    expect(review.text).toContain('The DATABASE of acme-shop/live will be replaced.');
    const change = await ana.confirms({ 'Type acme-shop/live to confirm': 'acme-shop/live' });
    await change.shows('⏳');
    await chi.clicks(change.card(), 'Approve');
    await change.tells('Approved by @Chi. Sending in 10 s.');
    expect(house.writes()).toHaveLength(0);
    await change.tells('✅ Done after');
    expect(house.writes()).toHaveLength(1);
    console.log(change.card().text, change.replies().map(({ text }) => text), house.slack.messages({ channel: 'D0U04DEE', as: ids.dee }).map(({ text }) => text));
    void patienceMs;
  }),
);

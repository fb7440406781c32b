import { describe, expect, test } from 'vitest';
import { inScenario, patienceMs, type Scenario } from './scenario.ts';
import { expectSoon } from './people.ts';

const words = 'Only members of this workspace may use Sitehand';
const clear = 'cache clear acme-shop/live';

/**
 * Fay is a lead; from now on Slack says that she belongs to another company, whose workspaces are an Enterprise Grid.
 */
const leave = (scenario: Scenario): unknown =>
  scenario.slack.changePerson('U05FAY', {
    team_id: 'T0OTHER',
    enterprise_user: {
      id: 'W0FAY',
      enterprise_id: 'E0OTHER',
      enterprise_name: 'Other',
      is_admin: false,
      is_owner: false,
      teams: ['T0OTHER', 'T0THIRD'],
    },
  });

describe.concurrent.each([
  ['and deliveries say so', true],
  ['and no delivery says so', false],
])('a member of another company of an Enterprise Grid, %s, is a stranger', (_, namesTeams) => {
  test(
    'by command, mention, shortcut, button, form, suggestion and at home',
    inScenario({}, async (scenario) => {
      const { slack } = scenario;
      const [fay, ben] = [scenario.person('fay'), scenario.person('ben')];
      await fay.opens('/site backups list', 'Environment');
      const { options } = await slack.suggest(fay.id, 'modal', { action_id: 'env' }, 'acme-shop/live');
      await slack.pick(fay.id, 'modal', { action_id: 'env' }, options[0] ?? '');
      const change = await ben.requests('/site push acme-shop/live acme-shop/staging --files');
      await scenario.stop();
      leave(scenario);
      slack.delivery.namesTeams = namesTeams;
      await scenario.start();

      await (await fay.says(`/site ${clear}`)).hears(words);
      const mentioned = await fay.mentions(clear);
      await mentioned.hears(words);
      expect(JSON.stringify(mentioned.outcome.payload).includes('T0OTHER')).toBe(namesTeams);
      const approving = await fay.clicks(change.card(), 'Approve');
      await approving.hears(words);
      expect(approving.outcome.payload).toMatchObject(
        namesTeams ? { enterprise: { id: 'E0OTHER' }, user: { team_id: 'T0OTHER' } } : { user: { id: 'U05FAY' } },
      );
      const suggested = await slack.suggest(fay.id, 'modal', { action_id: 'env' }, 'acme');
      expect(suggested.options).toEqual([]);
      expect(await slack.submit(fay.id)).toMatchObject({ delivered: true });
      const direct = () => slack.messages({ channel: fay.direct, as: fay.id }).map(({ text }) => text);
      const refused = () =>
        [...slack.views(fay.id).modals.map(({ text }) => text), ...direct()].some((text) => text.includes(words));
      await expectSoon(slack, 'a refused form', () => refused() || undefined, direct);
      const countBefore = direct().length;
      await slack.shortcut(fay.id, 'run');
      await expectSoon(
        slack,
        'a refused shortcut',
        () =>
          direct()
            .slice(countBefore)
            .some((text) => text.includes(words)) || undefined,
        direct,
      );
      await slack.home(fay.id);
      await slack.until(() => slack.views(fay.id).home?.text.includes(words) || undefined, patienceMs);

      expect(scenario.rows('select state from changes')).toEqual([{ state: 'waiting' }]);
      expect(scenario.writes()).toEqual([]);
    }),
  );
});

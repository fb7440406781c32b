import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { entities, escapeTypedText } from '../../../src/playground/slack/escape-typed-text.ts';
import { blocksText, mrkdwnText, namesIn } from '../../../src/playground/slack/render-text.ts';
import { createWorkspace } from '../../../src/playground/slack/workspace.ts';

const workspace = createWorkspace(() => 0);
const names = namesIn(workspace);

describe('typed text', () => {
  it.each([
    ['push a b', 'push a b'],
    ['can @ben push', 'can <@U02BEN|ben> push'],
    ['@leads and @nobody', '<!subteam^S0LEADS|@leads> and @nobody'],
    ['@here', '<!here>'],
    ['#acme-shop #bakery #nowhere', '<#C0ACME|acme-shop> <#G0BAKERY|> #nowhere'],
    ['a < b & c > d', 'a &lt; b &amp; c &gt; d'],
    ['<@U01ANA> stays', '<@U01ANA> stays'],
    ['see https://a.test/x?y=1&z', 'see <https://a.test/x?y=1&amp;z>'],
    [
      'domains add acme-shop/live shop.example.com',
      'domains add acme-shop/live <http://shop.example.com|shop.example.com>',
    ],
    ['ask a@b.com', 'ask <mailto:a@b.com|a@b.com>'],
    ['<!channel>', '&lt;!channel&gt;'],
  ])('%s arrives as %s', (typed, arrives) => {
    expect(escapeTypedText(workspace, typed)).toBe(arrives);
  });
});

describe('displayed text', () => {
  it.each([
    ['*Push* `a_b` _now_ ~no~', 'Push a_b now no'],
    ['snake_case_name and 2*3*4', 'snake_case_name and 2*3*4'],
    ['<@U01ANA> <!subteam^S0LEADS> <#C0OPS> <!here>', '@Ana @leads #ops @here'],
    ['<https://a.test|the page> <https://b.test>', 'the page https://b.test'],
    ['<!date^1700000000^{date}|14 Nov>', '14 Nov'],
    ['&lt;b&gt; &amp;amp;', '<b> &amp;'],
  ])('%s reads as %s', (sent, reads) => {
    expect(mrkdwnText(sent, names)).toBe(reads);
  });

  it('is the original text if an app escaped plain text', () => {
    const harmless = fc.string().filter((text) => !/[*_~`]/.test(text));
    fc.assert(
      fc.property(harmless, (text) => {
        expect(mrkdwnText(entities(text), names)).toBe(text);
      }),
    );
  });

  it('includes the blocks', () => {
    const cell = (text: string) => ({ type: 'raw_text', text });
    const section = (...elements: object[]) => ({ type: 'rich_text_section', elements });
    const text = blocksText(
      [
        { type: 'header', text: { type: 'plain_text', text: 'Push' } },
        { type: 'divider' },
        { type: 'context', elements: [{ type: 'mrkdwn', text: 'by <@U02BEN>' }] },
        {
          type: 'table',
          rows: [
            [cell('Files'), cell('all')],
            [cell('Database'), { type: 'rich_text', elements: [section({ type: 'text', text: 'yes' })] }],
          ],
        },
        {
          type: 'rich_text',
          elements: [
            section({ type: 'text', text: 'Hello ' }, { type: 'user', user_id: 'U01ANA' }),
            {
              type: 'rich_text_list',
              style: 'ordered',
              elements: [section({ type: 'text', text: 'one' }), section({ type: 'link', url: 'https://a.test' })],
            },
          ],
        },
        { type: 'actions', elements: [{ type: 'button', action_id: 'a', text: { type: 'plain_text', text: 'Go' } }] },
      ],
      names,
    );
    expect(text.split('\n')).toEqual([
      'Push',
      '---',
      'by @Ben',
      'Files | all',
      'Database | yes',
      'Hello @Ana',
      '1. one',
      '2. https://a.test',
      '[Go]',
    ]);
  });
});

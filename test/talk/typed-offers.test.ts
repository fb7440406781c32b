import { describe, expect, test } from 'vitest';
import { Refusal, type Offer } from '../../src/base/errors.ts';
import { offeringHinted, offeringSourced } from '../../src/talk/typed-offers.ts';
import { sample, say, typed, type Text } from '../../src/words/text.ts';
import { ana, policyOf } from '../fixtures.ts';

const policy = policyOf('{ allow: [read, resume], to: [developers] }', '{ allow: [pause], to: [leads] }');
const own: Offer = { label: 'Mine', args: ['changes', '--mine'] };

describe('a command in a sentence is a button', () => {
  test.each<[string, Text, readonly Offer[]]>([
    ['named by its label', say`${typed('queue')} shows who waits.`, [{ label: 'Show the queue', args: ['queue'] }]],
    ['with its words', say`${typed('change 7')} shows it.`, [{ label: 'change 7', args: ['change', '7'] }]],
    [
      'which opens a form, if it changes something',
      say`${typed('resume 7')} or ${typed('resume 7')}`,
      [{ label: 'resume 7', args: ['resume', '7'], opens: 'form' }],
    ],
    ['unless a person certainly may not run it', say`${typed('pause')} stops everything.`, []],
    ['unless it is only a sample', say`Name it, as in ${sample('status acme-shop/live')}.`, []],
    ['unless it is no command', say`${typed('')} or ${typed('frobnicate')}`, []],
  ])('%s', (_, text, offers) => {
    expect(offeringHinted(new Refusal('No.', { hint: text }), policy, ana).offers).toEqual(offers);
    expect(offeringSourced({ title: [], parts: [], source: text }, policy, ana).offers ?? []).toEqual(offers);
  });

  test('beside those of a page, each once, and not beside those of a refusal', () => {
    const text = say`${typed('changes --mine')} and ${typed('queue')}`;
    const refusal = new Refusal('No.', { hint: text, offers: [own] });
    expect(offeringHinted(refusal, policy, ana)).toBe(refusal);
    const page = offeringSourced({ title: [], parts: [], source: text, offers: [own] }, policy, ana);
    expect(page.offers?.map(({ label }) => label)).toEqual(['Mine', 'Show the queue']);
  });
});

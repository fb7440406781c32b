import { expect, test } from 'vitest';
import { catalogue } from '../../src/commands/index.ts';
import { evaluate } from '../../src/talk/conversation.ts';
import { parse } from '../../src/language/parse.ts';
import { resolve } from '../../src/language/resolve.ts';
import { ana, company, names, policyOf, refusalOf, refusalText } from '../fixtures.ts';

test.each<[string, string, RegExp]>([
  [
    'read',
    'clone acme-shop/live',
    /^You may not use clone\. Nothing was done\. Type it in full, and I'll say who may: \/site clone <site\/environment> </,
  ],
  ['read', 'clone acme-shop/live Relaunch', /^You may not run clone\. Line 8 of the policy lets leads do it\./],
  ['use', 'clone acme-shop/live', /^You may not use clone\. Nothing was done\.$/],
])('with a right to %s, %s is refused with a way to see who may', (right, line, says) => {
  const policy = policyOf(`{ allow: [${right}], to: [developers] }`, '{ allow: [clone], to: [leads] }');
  const parsed = parse(line, catalogue);
  if (parsed === undefined) throw new Error('no command');
  const channel = { id: 'C1', shared: false };
  const refusal = refusalOf(() =>
    evaluate({ policy: () => policy, company: () => company }, resolve(parsed, names), { person: ana, channel }),
  );
  expect(refusalText(refusal)).toMatch(says);
});

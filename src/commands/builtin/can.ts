import { builtin } from '../kit/builtin.ts';
import { optional, rest, member, withHint } from '../kit/fields.ts';

export const can = builtin({
  summary: 'Check who may run a command, by which rule, and who could approve it',
  button: 'Who may what',
  also: `
    am i allowed, am allowed, who can, who may, who allowed, who is allowed, is allowed to, is <person> allowed,
    who can approve, who may approve, who approve, who must approve, who approver, permission, have permission, has
    permission, who has permission, right to, need approval`,
  right: 'read',
  examples: ['push acme-shop/staging acme-shop/live'],
  fields: {
    person: withHint('Who; left out, you.', optional(member('Person'))),
    command: withHint('As it would be typed, with what it is about.', rest('Command')),
  },
});

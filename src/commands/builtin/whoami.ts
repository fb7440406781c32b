import { builtin } from '../kit/builtin.ts';

export const whoami = builtin({
  summary: 'Show your id, your groups and how the policy knows you',
  button: 'Who am I',
  also: `
    who am i, who i am, what am i, what may i, what am i allowed, which group am i, my group, my role, my
    permission, which permission i, permission i have, group i, my id, my account`,
  right: 'anyone',
  glances: true,
  fields: {},
});

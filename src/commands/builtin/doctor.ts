import { builtin } from '../kit/builtin.ts';

export const doctor = builtin({
  summary: 'Check that everything Sitehand needs works',
  button: 'Run the checks',
  also: `
    diagnose, self test, selftest, self check, check yourself, healthcheck, are you ok, are you alive, are you
    there, are you working, you up, bot health, bot status, bot broken, is bot ok, connection ok`,
  right: 'read',
  fields: {},
});

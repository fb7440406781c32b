import { builtin } from '../../kit/builtin.ts';

export const auditVerify = builtin({
  summary: 'Check that no line of the audit trail was altered or removed',
  button: 'Verify the trail',
  also: `
    verify trail, check audit, check trail, is trail verify, tampered`,
  right: 'named',
  fields: {},
});

import { builtin } from '../../kit/builtin.ts';
import { resume } from '../resume.ts';

export const resumeCallers = builtin({
  summary: 'End a pause of programs, and send what is approved and still valid',
  button: 'Resume programs',
  also: `
    resume all program, unpause program, unpause all program, continue program, program go on,
    unlock program, unlock all program`,
  right: 'named',
  within: 'resume',
  shows: ['changes'],
  changes: true,
  urgent: true,
  everywhere: true,
  examples: [''],
  fields: resume.fields,
});

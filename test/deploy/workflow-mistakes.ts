import { readFileSync } from 'node:fs';
import { NoOperationTraceWriter, parseWorkflow } from '@actions/workflow-parser';

/** Prints what GitHub's own parser finds wrong in the workflow on standard input, as JSON. To be bundled: see the test. */

const read = parseWorkflow({ name: 'workflow', content: readFileSync(0, 'utf8') }, new NoOperationTraceWriter());
process.stdout.write(JSON.stringify(read.context.errors.getErrors().map(({ message }) => message)));

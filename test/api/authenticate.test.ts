import { expect, test } from 'vitest';
import { authenticate, newKey } from '../../src/api/authenticate.ts';
import { parsePolicy } from '../../src/policy/policy.ts';

import { passwordHint } from '../credential-names.ts';
import type { MaskingRule } from '../rule.ts';
import { applicationPasswordsOf } from './application-passwords.ts';
import { byPosition } from './by-position.ts';
import { cardNumbers } from './card-numbers.ts';
import { commandLines } from './command-lines.ts';
import { escapedAddresses } from './escaped-addresses.ts';
import { inserted } from './sql-statements.ts';
import { links } from './links.ts';
import { mentions } from './mentions.ts';
import { namedValues } from './named-values.ts';
import { ownSyntax } from './own-syntax.ts';
import { phpCalls, dsn } from './php-calls.ts';
import { programs } from './programs.ts';

/**
 * All rules in the order in which they are tried. A later rule sees the text as the earlier ones masked it. A new one
 * needs a leak that was seen in real use: each also masks some lines that hold no credential.
 */
export const maskingRules: readonly MaskingRule[] = [
  phpCalls,
  ...applicationPasswordsOf(passwordHint),
  dsn,
  inserted,
  ...namedValues,
  ...ownSyntax,
  ...links,
  ...byPosition,
  ...escapedAddresses,
  ...commandLines,
  ...programs,
  ...mentions,
  cardNumbers,
];

import { passwordHint, tellingHint } from '../credential-names.ts';
import type { MaskingRule } from '../rule.ts';
import { applicationPasswordsOf } from './application-passwords.ts';
import { byPosition } from './by-position.ts';
import { cardNumbers } from './card-numbers.ts';
import { codeDefaultsOf } from './code-defaults.ts';
import { commandLines } from './command-lines.ts';
import { escapedAddresses } from './escaped-addresses.ts';
import { inserted, rows } from './sql-statements.ts';
import { links } from './links.ts';
import { mentions } from './mentions.ts';
import { namedValues } from './named-values.ts';
import { ownSyntax } from './own-syntax.ts';
import { phpCalls, dsn } from './php-calls.ts';
import { programs } from './programs.ts';
import { protocols } from './protocols.ts';
import { sentenceParts } from './sentence-parts.ts';
import { sentences } from './sentences.ts';
import { yamlBlocksOf } from './yaml-blocks.ts';

/** All rules in the order in which they are tried. A later rule sees the text as the earlier ones masked it. */
export const maskingRules: readonly MaskingRule[] = [
  phpCalls,
  ...applicationPasswordsOf(passwordHint),
  ...protocols,
  ...yamlBlocksOf(tellingHint),
  ...codeDefaultsOf(tellingHint),
  dsn,
  inserted,
  rows,
  ...namedValues,
  ...ownSyntax,
  ...links,
  ...byPosition,
  ...escapedAddresses,
  ...commandLines,
  ...programs,
  ...mentions,
  cardNumbers,
  ...sentences,
  ...sentenceParts,
];

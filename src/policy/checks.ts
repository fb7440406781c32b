import { z } from 'zod';
import type { Environment } from '../hosting/contract/target.ts';
import { quoted } from './yaml-document.ts';
import { coversFolded, readPattern, foldNames } from './pattern.ts';
import type { Policy, SiteExpectations } from './rules.ts';
import { fields, refuse, filledList, inputError } from './shapes.ts';

/** `checks:` of the policy file: its shape, and what it expects of an environment. */

const maxPaths = 5;
const maxTexts = 10;
const maxDomains = 10;
/** Visible ASCII after one slash: after two, the next word would be a host. */
const pathShape = /^\/(?!\/)[!"$-~]{0,199}$/;
const domainShape = /^(?=.{1,253}$)([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]([a-z0-9-]{0,61}[a-z0-9])?$/;
const textShape = /^(?! )[^\p{Cc}\p{Cs}]{1,200}(?<! )$/u;

const path = z
  .string('expected a path')
  .regex(pathShape, inputError('is not a path; write it like "/checkout/", without #'));
const text = z
  .string('expected a text')
  .regex(textShape, inputError('cannot be looked for; use 1 to 200 characters on one line'));
const domain = z
  .string('expected a domain')
  .regex(domainShape, inputError('is not a domain; write it like "shop.example.com", in small letters'));

const expectations = fields(
  {
    paths: filledList(path, 'paths, like ["/", "/checkout/"]')
      .max(maxPaths, `at most ${maxPaths} paths are checked`)
      .optional()
      .describe('The pages to read; left out: ["/"]'),
    must: filledList(text, 'texts, like ["Add to cart"]')
      .max(maxTexts, `at most ${maxTexts} texts are looked for`)
      .optional()
      .describe('Texts that must be there, each on at least one of the pages'),
    domains: filledList(domain, 'domains, like ["shop.example.com"]')
      .max(maxDomains, `at most ${maxDomains} domains are named`)
      .optional()
      .describe('The domains of one environment, where the hosting API does not say'),
  },
  '"off" or { paths, must, domains }',
);

/** `off`, or what is expected by site or site/environment. */
export const checks = z
  .union(
    [
      z.literal('off', 'expected "off", or sites with what to check'),
      z.record(
        z.string(),
        z.union([z.literal('off', 'expected "off" or { paths, must, domains }'), expectations]),
        'expected "off", or sites with what to check, like { "acme-*": { paths: ["/"] } }',
      ),
    ],
    'expected "off", or sites with what to check, like { "acme-*": { paths: ["/"] } }',
  )
  .transform((given, ctx): Policy['checks'] => {
    if (given === 'off') return given;
    return Object.entries(given).flatMap(([key, expected]): readonly SiteExpectations[] => {
      const where = readPattern(key.includes('/') ? key : `${key}/*`);
      if (typeof where === 'string' || where.kind !== 'environment') {
        refuse(ctx, [key], `${quoted(key)} is neither a site nor site/environment`);
        return [];
      }
      if (expected === 'off') return [{ where, isOff: true }];
      // One environment's domains must not apply to another environment.
      if (expected.domains && (!key.includes('/') || key.includes('*')))
        refuse(ctx, [key, 'domains'], 'domains belong to one environment: give it as site/environment, without *');
      return [{ where, isOff: false, ...expected }];
    });
  });

type Expectations = Readonly<Record<'paths' | 'must' | 'domains', readonly string[]>>;

/** What is expected of an environment. Each setting comes from the first entry that covers the environment and has it. */
export function expectationsOf({ checks }: Pick<Policy, 'checks'>, environment: Environment): 'off' | Expectations {
  if (checks === 'off') return 'off';
  const target = foldNames(environment);
  const fitting = checks.filter(({ where }) => coversFolded(where, target, 'allow'));
  if (fitting.some(({ isOff }) => isOff)) return 'off';
  const first = (key: keyof Expectations) => fitting.find((one) => one[key])?.[key];
  return { paths: first('paths') ?? ['/'], must: first('must') ?? [], domains: first('domains') ?? [] };
}

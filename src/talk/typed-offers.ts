import { catalogue, changesSomething } from '../commands/index.ts';
import type { Page } from '../commands/kit/page.ts';
import { attempt, offering, type Offer, type Refusal } from '../base/errors.ts';
import type { Member, Policy } from '../policy/rules.ts';
import { inline, typedIn, type Text } from '../words/text.ts';
import type { Person } from '../access/access-check.ts';
import { mayRunSomewhere } from '../access/may-run.ts';
import { parse } from '../language/parse.ts';
import { split } from '../language/tokenize.ts';

/** What a hint or a source tells somebody to type is a button too, unless they certainly may not run it. */

/** A refused request. */
export type Refuse = {
  readonly kind: 'refuse';
  readonly refusal: Refusal;
  /** Undefined: the speaker is not known. */
  readonly person?: Person | undefined;
};

export const refusedWith = (refusal: Refusal, policy: Policy, person: Person | undefined): Refuse => ({
  kind: 'refuse',
  refusal: person ? offeringHinted(refusal, policy, person) : refusal,
  person,
});

/** The refusal with buttons for the commands in its hint, if it has none of its own. */
export function offeringHinted(refusal: Refusal, policy: Policy, person: Member): Refusal {
  const offers = refusal.offers.length > 0 ? [] : offersIn(refusal.hint, policy, person);
  return offers.length === 0 ? refusal : offering(refusal, offers);
}

/**
 * The page with buttons for the commands in its source. To a program, a source says nothing that only people can type.
 */
export function offeringSourced(page: Page, policy: Policy, person: Member): Page {
  const { offers = [], source, ...bare } = page;
  const lines = new Set(typedIn(inline(source)));
  if (person.caller && offersIn(inline(source), policy, person).length < lines.size) return { ...bare, offers };
  const has = ({ args }: Offer): boolean => offers.some((one) => one.args.join(' ') === args.join(' '));
  const more = offersIn(inline(source), policy, person).filter((offer) => !has(offer));
  return more.length === 0 ? page : { ...page, offers: [...offers, ...more] };
}

/** What changes something opens its form. */
function offersIn(text: Text, policy: Policy, person: Member): readonly Offer[] {
  return [...new Set(typedIn(text))].flatMap((line): readonly Offer[] => {
    const parsed = attempt(() => parse(line, catalogue));
    if (parsed === undefined) return [];
    const { path, command } = parsed;
    if (mayRunSomewhere(policy, person, path, command) === 'no') return [];
    const label = line === path ? command.button : line;
    const args = split(line).map(({ text: word }) => word);
    return [{ label, args, ...(changesSomething(command) && { opens: 'form' }) }];
  });
}

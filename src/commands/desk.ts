import type { Environment, Domain } from '../hosting/contract/target.ts';
import type { Text } from '../text.ts';
import type { Fields, Input } from './fields.ts';
import type { Page } from './page.ts';

/** What a desk command may ask of Sitehand; the pipeline implements it for one person in one place. */
export type Office = {
  readonly person: {
    readonly id: string;
    readonly name: string;
    readonly groups: readonly string[];
    readonly zone: string;
  };
  readonly now: number;
  /** Commands that this person may run somewhere, in the catalogue's order. */
  commands(): readonly {
    readonly path: string;
    readonly summary: string;
    readonly usage: string;
    readonly mayRun: boolean;
  }[];
  /** What this person may read and can name. */
  names(): {
    readonly environments: readonly Environment[];
    readonly domains: readonly Domain[];
    readonly at: number | undefined;
    readonly trouble: Text | undefined;
  };
  /** A change that this person may read: its card's facts and its history, oldest first. */
  change(number: number): Promise<ChangeStory | undefined>;
  /** Names of the policy's groups this person is in, and whether policy knows them at all. */
  standing(): { readonly groups: readonly string[]; readonly known: boolean };
};

/** The life of a change, told for one reader. */
export type ChangeStory = {
  readonly title: Text;
  readonly facts: readonly (readonly [label: string, value: Text])[];
  readonly events: readonly { readonly at: number; readonly actor: string; readonly says: Text }[];
};

/** A command about Sitehand itself. `right`: any reader, or only whom a rule names the command itself. */
export type Desk<F extends Fields> = {
  readonly shape: 'desk';
  readonly summary: string;
  readonly button: string;
  readonly right: 'anyone' | 'read' | 'named';
  readonly fields: F;
  answer(of: { readonly input: Input<F>; readonly office: Office }): Promise<Page> | Page;
};

/** Declares a desk command. */
export function desk<const F extends Fields>(of: Omit<Desk<F>, 'shape'>): Desk<F> {
  return { shape: 'desk', ...of };
}

/** Any desk command. */
export type AnyDesk = Desk<Fields>;

import type { Environment } from '../../../src/playground/hosting/resources.ts';
import type { World } from '../../../src/playground/hosting/world.ts';
import type { SlackStandIn } from '../../../src/playground/slack/stand-in.ts';

type Filled = NonNullable<Parameters<SlackStandIn['submit']>[1]>;
export type Dialect = 'document' | 'kinsta';

/** The request to the host, field by field; `query` and `body` as the host parses them. */
export type Asked = {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: unknown;
};

/** The named target of a story, with the state and the dialect of the host. */
export type Scene = {
  readonly on: string;
  readonly world: World;
  readonly dialect: Dialect;
  readonly company: string;
  /** The key and certificate `own`, for names below own.example. */
  readonly certificate: { readonly key: string; readonly cert: string };
};

/** An input that dispatches at once; `draws`: the input that it redraws, and its new options. */
type Picked = {
  readonly label: string;
  readonly said: string | readonly string[];
  readonly draws: { readonly label: string; readonly as: string };
};

/** How somebody uses an endpoint, by a typed line and by form. */
type Common = {
  /** The section of the document. */
  readonly section: string;
  readonly command: string;
  /** Distinguishes it from other stories of the same command. */
  readonly how?: string;
  /** The arguments that are typed after the command. */
  readonly words: (on: string) => string;
  /** Inputs on which others depend, in the order in which they are filled in. */
  readonly picks?: (on: string) => readonly Picked[];
  /** All others, by their labels. */
  readonly fills: (on: string) => Filled;
  /** All arguments are optional, so the form is opened from the list of commands. */
  readonly fromList?: true;
  /** The target's state before. */
  readonly given?: (target: Environment) => void;
  readonly asks: (scene: Scene) => Asked;
};

export type Reading = Common & {
  /** One target for the typed line and one for the form. */
  readonly typedOn: string;
  readonly filledOn: string;
  /** A text that identifies the answer, and the host's data in it. */
  readonly titled: (on: string) => string;
  readonly shows: (scene: Scene) => readonly (string | RegExp)[];
};

/** A change on a site of its own: typed for staging, by form for live. */
export type Writing = Common & {
  readonly target?: 'domain';
  readonly locksMore?: true;
  /** Whether it has a review: always, or only for a live environment. */
  readonly seen: 'always' | 'live' | 'never';
  readonly ends: (on: string) => string | RegExp;
  /** The request that *Undo* sends. */
  readonly undoes?: (scene: Scene) => unknown;
};

export function environmentOf({ world, on }: Pick<Scene, 'world' | 'on'>): Environment {
  const found = world.environmentNamed(on);
  if (found === undefined) throw new Error(`there is no ${on}`);
  return found;
}

/** The domain of a scene. */
export function domainOf({ world, on }: Pick<Scene, 'world' | 'on'>): World['domains'][number] {
  const found = world.domains.find(({ name }) => name === on);
  if (found === undefined) throw new Error(`there is no ${on}`);
  return found;
}

/** A path below the scene's environment. */
export const below = (scene: Scene, rest = ''): string => `/sites/environments/${environmentOf(scene).id}${rest}`;

/** The last reply of a change whose end the host confirms. */
export const byHost = /^✅ Done after \d+ s: the host reports it finished\./;

import type { Environment } from '../../../src/playground/hosting/resources.ts';
import type { World } from '../../../src/playground/hosting/world.ts';
import type { SlackStandIn } from '../../../src/playground/slack/stand-in.ts';

type Filled = NonNullable<Parameters<SlackStandIn['submit']>[1]>;
export type Dialect = 'document' | 'kinsta';

/** What the host is asked, field by field; `query` and `body` as the host reads them. */
export type Asked = {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: unknown;
};

/** Where a story happens: the environment or the domain that is named, and what it has before. */
export type Scene = {
  readonly on: string;
  readonly world: World;
  readonly dialect: Dialect;
  readonly company: string;
  /** The pair of the certificate `own`, for names below own.example. */
  readonly certificate: { readonly key: string; readonly cert: string };
};

/** An input that tells the bot at once what is put into it; `draws`: what it makes of another one. */
export type Picked = {
  readonly label: string;
  readonly said: string | readonly string[];
  readonly draws: { readonly label: string; readonly as: string };
};

/** What somebody does with an endpoint, in words and by form. */
type Common = {
  /** The section of the document. */
  readonly section: string;
  readonly command: string;
  /** What tells it from other stories of the same command. */
  readonly how?: string;
  /** What is typed after the command. */
  readonly words: (on: string) => string;
  /** Inputs that others hang on, in the order in which they are filled in. */
  readonly picks?: (on: string) => readonly Picked[];
  /** All others, by their labels. */
  readonly fills: (on: string) => Filled;
  /** Its words are all optional, so its form opens from the list of commands. */
  readonly fromList?: true;
  /** How the target is before. */
  readonly given?: (target: Environment) => void;
  readonly asks: (scene: Scene) => Asked;
};

export type Reading = Common & {
  /** A target for each way. */
  readonly typedOn: string;
  readonly filledOn: string;
  /** What the answer is known by, and what the host has to say in it. */
  readonly titled: (on: string) => string;
  readonly shows: (scene: Scene) => readonly (string | RegExp)[];
};

/** What somebody changes, on a site of its own: typed for its staging, filled in for what is live. */
export type Writing = Common & {
  readonly target?: 'domain';
  readonly locksMore?: true;
  /** It is seen before it is sent: always, or where it is for a live environment. */
  readonly seen: 'always' | 'live' | 'never';
  readonly ends: (on: string) => string | RegExp;
  /** What *Undo* brings back. */
  readonly undoes?: (scene: Scene) => unknown;
};

/** The environment of a scene. */
export function environmentOf({ world, on }: Pick<Scene, 'world' | 'on'>): Environment {
  const found = world.environmentNamed(on);
  if (found === undefined) throw new Error(`there is no ${on}`);
  return found;
}

/** The id of the domain of a scene. */
export function domainOf({ world, on }: Pick<Scene, 'world' | 'on'>): World['domains'][number] {
  const found = world.domains.find(({ name }) => name === on);
  if (found === undefined) throw new Error(`there is no ${on}`);
  return found;
}

/** The path of something of the scene's environment. */
export const below = (scene: Scene, rest = ''): string => `/sites/environments/${environmentOf(scene).id}${rest}`;

/** The last word of a change whose end the host itself tells. */
export const byHost = /^✅ Done after \d+ s: the host reports it finished(?: \(\S+\))?\./;

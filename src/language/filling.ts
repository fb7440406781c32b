import type { Command } from '../commands/index.ts';
import type { Spoken } from './spoken.ts';
import type { Thing } from './plain-things.ts';
import type { Place, Said } from './things.ts';

/** A line that a command is filled with. */
export type SpokenLine = {
  readonly words: readonly Spoken[];
  /** The reason at its end, in their own words; empty if there is none. */
  readonly why: readonly Spoken[];
  /** Whether it asks something, rather than for something. */
  readonly isQuestion: boolean;
  readonly said: Said;
  readonly place: Place;
  /** Words of the phrase that says which command is meant. */
  readonly called: ReadonlySet<number>;
  /** Words of any phrase that says so. */
  readonly explained: ReadonlySet<number>;
};

/** What is still free to be taken, and what was taken. */
export type Filling = SpokenLine & {
  readonly path: string;
  readonly command: Command;
  readonly free: Set<Thing>;
  readonly used: Set<number>;
  /** Words such as `no` and `without` whose meaning was taken. */
  readonly meant: Set<number>;
  /** Things of which a word was taken. */
  readonly split: Set<Thing>;
  /** Words that are the choice of a field. */
  readonly chosen: Set<number>;
  readonly shown: Map<string, string>;
  /** How many words were taken as somebody's own, such as a reason. */
  ownWords: number;
  /** Whether a name was taken that nobody has quite so. */
  isGuessed: boolean;
  isImplied: boolean;
  isOfThread: boolean;
};

export const beginFilling = (path: string, command: Command, line: SpokenLine): Filling => ({
  ...line,
  path,
  command,
  free: new Set(line.said.things),
  used: new Set(line.called),
  meant: new Set(line.explained),
  split: new Set(),
  chosen: new Set(),
  shown: new Map(),
  ownWords: 0,
  isGuessed: false,
  isImplied: false,
  isOfThread: false,
});

/** Takes a thing, and its words with it. */
export function take(filling: Filling, thing: Thing): void {
  filling.free.delete(thing);
  for (let at = thing.at; at < thing.end; at += 1) filling.used.add(at);
}

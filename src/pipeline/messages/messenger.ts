import type { Place } from '../../storage/messages.ts';
import type { Card, Note } from '../changes/card.ts';

/** Where a message goes: a channel, a thread in it, or a person's direct messages. */
export type Recipient = { readonly channel: string; readonly thread?: string } | { readonly person: string };

/** What can be said to Slack; rejects with `Undeliverable` where Slack does not take it. */
export type Messenger = {
  readonly post: (to: Recipient, what: Card | Note) => Promise<Place>;
  readonly edit: (place: Place, what: Card | Note) => Promise<void>;
};

/** A channel as Slack shows it to us: `hidden` where it does not, `untold` where our token may not ask at all. */
export type ChannelLook =
  | { readonly kind: 'seen'; readonly shared: boolean; readonly archived: boolean; readonly member: boolean }
  | { readonly kind: 'hidden'; readonly word: string }
  | { readonly kind: 'untold' };

/** The word for a channel that other organisations read as well: nothing is posted there, whatever Slack would take. */
export const sharedWord = 'is_ext_shared';

/** Why Slack did not take a message. `message` is its own word where it has one. */
export class Undeliverable extends Error {
  /**
   * `later`: it may take it after a while. `drawing`: it does not take this message, not even as plain text. `token`: it
   * takes nothing from us. `gone`: this place does not take it, another may.
   */
  readonly kind: 'later' | 'drawing' | 'token' | 'gone';
  /** For `later`: milliseconds until then, where Slack or our own pace says; else 0. */
  readonly afterMs: number;

  constructor(kind: Undeliverable['kind'], word: string, afterMs = 0) {
    super(word);
    this.kind = kind;
    this.afterMs = afterMs;
  }
}

import type { MessagePlace } from '../storage/messages.ts';
import type { Card, Note } from '../change/card.ts';

/** What a message shows. */
export type MessageContent = Card | Note;

/** Where a message goes: a channel, a thread in it, or a person's direct messages. */
export type Recipient = { readonly channel: string; readonly thread?: string } | { readonly person: string };

/** A file with its whole content. */
export type Upload = { readonly name: string; readonly content: string };

/** Where Slack put a post. `isLoose`: in the channel itself instead of the thread, whose first message was deleted. */
export type Landed = MessagePlace & { readonly isLoose?: boolean };

/**
 * Posts and edits messages in Slack. Rejects with `Undeliverable` if Slack does not accept one. `file` is uploaded and
 * added to the message; if that fails, the message stays as it was. `isCopy`: what it says stands elsewhere, so it may
 * wait for other edits.
 */
export type Messenger = {
  readonly post: (to: Recipient, content: MessageContent) => Promise<Landed>;
  readonly edit: (
    place: MessagePlace,
    content: MessageContent,
    options?: { readonly file?: Upload; readonly isCopy?: boolean },
  ) => Promise<void>;
};

/** A channel as Slack shows it. `hidden`: Slack does not show it to us. `no scope`: our token may not ask. */
export type ChannelLook =
  | {
      readonly kind: 'seen';
      readonly shared: boolean;
      readonly archived: boolean;
      readonly member: boolean;
      readonly isPrivate: boolean;
    }
  | { readonly kind: 'hidden'; readonly word: string }
  | { readonly kind: 'no scope' };

/** Why Slack did not accept a message. `message` is Slack's error code, if it gave one. */
export class Undeliverable extends Error {
  /**
   * `later`: a later attempt may succeed. `drawing`: this message is refused, even as plain text. `token`: everything
   * from us is refused. `gone`: this place refuses it, another may accept it. `unknown`: we don't know the reason, so
   * another place may accept it, and a later attempt too.
   */
  readonly kind: 'later' | 'drawing' | 'token' | 'gone' | 'unknown';
  /** For `later`: milliseconds to wait, if Slack or our own rate limit says so; else 0. */
  readonly afterMs: number;
  /**
   * For `gone`, if known. `uninvited`: we are just not a member of the channel, which is no fault of it. `shared`: it is
   * shared with another organisation, and we never post there. `no message`: the message to edit or to reply to is
   * gone. `no edits`: it is there, and can't be edited.
   */
  readonly why: 'uninvited' | 'shared' | 'no message' | 'no edits' | undefined;

  constructor(kind: Undeliverable['kind'], word: string, afterMs = 0, why?: Undeliverable['why'], cause?: unknown) {
    super(word, { cause });
    this.kind = kind;
    this.afterMs = afterMs;
    this.why = why;
  }

  /** Whether another place may accept the message now. */
  get mayGoElsewhere(): boolean {
    return this.kind === 'gone' || this.kind === 'unknown';
  }
}

import { blockComplaints } from './block-kit/check.ts';
import { LIMITS } from './block-kit/limits.ts';
import { type Fields, isFields, listOf, objectsOf, textOf } from './json-fields.ts';
import { Refused } from './refused.ts';
import type { Message } from './shapes.ts';

/** A message's content. */
export type Content = Pick<Message, 'text' | 'blocks' | 'attachments' | 'metadata'>;

const TEXT = 40_000;
const ATTACHMENTS = 100;

const refuse = (code: string, complaints: readonly string[]): Refused =>
  new Refused(
    code,
    complaints.map((each) => `[ERROR] ${each}`),
    { errors: complaints },
  );

/**
 * The text, blocks, attachments and metadata of a message as an app sent them. Refuses `no_text`, `msg_too_long`,
 * `invalid_blocks`, `msg_blocks_too_long`, `invalid_attachments` and similar.
 */
export function checkedContent(sent: Fields, maxTextLength = TEXT): Content {
  const text = textOf(sent['text']);
  const blocks = checkedBlocks(sent['blocks']);
  const attachments = checkedAttachments(sent['attachments']);
  if (text === '' && blocks.length === 0 && attachments.length === 0) throw new Refused('no_text');
  if (text.length > maxTextLength) throw new Refused('msg_too_long');
  return { text, blocks, attachments, metadata: checkedMetadata(sent['metadata']) };
}

/** The blocks of a message. Refuses `invalid_blocks_format`, `invalid_blocks`, `msg_blocks_too_long`. */
function checkedBlocks(sent: unknown): readonly Fields[] {
  if (sent === undefined || sent === null) return [];
  if (!Array.isArray(sent) || listOf(sent).some((block) => !isFields(block)))
    throw new Refused('invalid_blocks_format');
  const complaints = blockComplaints(sent, 'message');
  if (complaints.length > 0) throw refuse('invalid_blocks', complaints);
  if (JSON.stringify(sent).length > LIMITS.messageCharacters) throw new Refused('msg_blocks_too_long');
  return objectsOf(sent);
}

function checkedAttachments(sent: unknown): readonly Fields[] {
  if (sent === undefined || sent === null) return [];
  if (!Array.isArray(sent)) throw new Refused('invalid_attachments');
  const attachments = objectsOf(sent);
  if (attachments.length > ATTACHMENTS) throw new Refused('too_many_attachments');
  const complaints = attachments.flatMap((attachment, index) =>
    attachment['blocks'] === undefined
      ? []
      : blockComplaints(attachment['blocks'], 'message', `/attachments/${index}/blocks`),
  );
  if (complaints.length > 0) throw refuse('invalid_attachments', complaints);
  if (JSON.stringify(attachments).length > LIMITS.messageCharacters) throw new Refused('msg_blocks_too_long');
  return attachments;
}

function checkedMetadata(sent: unknown): Fields | undefined {
  if (sent === undefined || sent === null) return undefined;
  if (!isFields(sent)) throw new Refused('invalid_metadata_format');
  if (textOf(sent['event_type']) === '' || !isFields(sent['event_payload']))
    throw new Refused('invalid_metadata_schema');
  return sent;
}

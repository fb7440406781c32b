import { type Fields, objectsOf, textOf, nonEmptyTextOf } from './json-fields.ts';
import { setBounded } from './journal.ts';
import { post } from './messages.ts';
import { Refused } from './refused.ts';
import { BOT_USER, TEAM } from './seed.ts';
import type { Message } from './shapes.ts';
import type { StoredFile, Workspace } from './workspace.ts';

const KEPT = 64;

/** Reserves a file for an upload; the newest 64 are kept. */
export function expectFile(workspace: Workspace, name: string): StoredFile {
  const file = { id: workspace.nextId('F'), name, title: name, content: undefined, complete: false, channels: [] };
  setBounded(workspace.files, file.id, file, KEPT);
  return file;
}

/** Stores the bytes of a reserved file; a multipart form is unwrapped. Refuses `file_not_found`. */
export function receiveFile(workspace: Workspace, id: string, body: Buffer, contentType: string): void {
  const file = workspace.files.get(id);
  if (file === undefined || file.complete) throw new Refused('file_not_found');
  const boundary = /^multipart\/form-data;.*boundary="?([^";]+)"?/i.exec(contentType)?.[1];
  workspace.files.set(id, { ...file, content: boundary === undefined ? body : firstPart(body, boundary) });
}

function firstPart(body: Buffer, boundary: string): Buffer {
  const start = body.indexOf('\r\n\r\n');
  const end = body.indexOf(`\r\n--${boundary}`, start + 4);
  if (start < 0 || end < 0) throw new Refused('malformed_upload');
  return body.subarray(start + 4, end);
}

/** A file as Slack shows one. */
export const fileObject = (workspace: Workspace, file: StoredFile): Fields => ({
  id: file.id,
  created: Math.floor(workspace.now() / 1000),
  name: file.name,
  title: file.title,
  size: file.content?.length ?? 0,
  user: BOT_USER,
  is_external: false,
  channels: file.channels,
  permalink: `https://${TEAM.domain}.slack.com/files/${BOT_USER}/${file.id}/${encodeURIComponent(file.name)}`,
});

/** Adds own files that were uploaded without a channel, or are in one already, to a message there. Refuses `file_not_found`. */
export function addFiles(workspace: Workspace, message: Message, ids: readonly string[]): readonly string[] {
  for (const id of ids) {
    const file = workspace.files.get(id);
    if (file === undefined || !file.complete) throw new Refused('file_not_found');
    const channels = [...new Set([...file.channels, message.channel])];
    workspace.files.set(id, { ...file, channels });
    workspace.events.emit('file', { file: id, channel: message.channel });
  }
  return [...new Set([...message.files, ...ids])];
}

/** Finishes uploads, and shares them in one message where a channel is given. Refuses `file_not_found`. */
export function completeFiles(workspace: Workspace, sent: unknown, args: Fields): readonly StoredFile[] {
  const channel = nonEmptyTextOf(args['channel_id']);
  const files = objectsOf(sent).map((each) => {
    const file = workspace.files.get(textOf(each['id']));
    if (file === undefined || file.content === undefined || file.complete) throw new Refused('file_not_found');
    const channels = channel === undefined ? [] : [channel];
    return { ...file, title: nonEmptyTextOf(each['title']) ?? file.name, complete: true, channels };
  });
  if (files.length === 0) throw new Refused('invalid_arguments', ['[ERROR] missing required field: files']);
  for (const file of files) {
    workspace.files.set(file.id, file);
    workspace.events.emit('file', { file: file.id, channel });
  }
  if (channel !== undefined) {
    const text = textOf(args['initial_comment']);
    const threadTs = nonEmptyTextOf(args['thread_ts']);
    post(workspace, { channel, author: BOT_USER, text, threadTs, files: files.map((file) => file.id) });
  }
  return files;
}

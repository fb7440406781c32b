import { open, stat, type FileHandle } from 'node:fs/promises';
import { dirname } from 'node:path';
import { errorCode } from '../../base/errors.ts';
import type { DeliveryResult } from '../audit-out.ts';

/**
 * Appends the text to a file and waits for the disk. The file is opened each time, so it may be moved away at any time;
 * a new file is readable by this user only. If a crash left half a line, the line is ended, never removed. Never
 * rejects.
 */
export async function appendTo(path: string, text: string): Promise<DeliveryResult> {
  try {
    // Opening a pipe would wait for its reader.
    if ((await stat(path).catch(absent))?.isFile() === false) return failed('it is not a regular file');
    await using file = await open(path, 'a+', 0o600);
    await append(file, text, path);
    return { kind: 'taken' };
  } catch (error) {
    return failed(`it can't be written (${errorCode(error) || 'unknown error'})`);
  }
}

async function append(file: FileHandle, text: string, path: string): Promise<void> {
  const { size } = await file.stat();
  try {
    await file.appendFile((await endsInLine(file, size)) ? text : `\n${text}`);
    await file.datasync();
    await flushFolder(path);
  } catch (error) {
    // Removes only what this call has written; it will be written again.
    await file.truncate(size).catch(() => undefined);
    throw error;
  }
}

async function endsInLine(file: FileHandle, size: number): Promise<boolean> {
  if (size === 0) return true;
  const { buffer } = await file.read(Buffer.alloc(1), 0, 1, size - 1);
  return buffer.toString() === '\n';
}

/** Without this, a power cut could lose a new file. */
async function flushFolder(path: string): Promise<void> {
  await using folder = await open(dirname(path), 'r');
  await folder.sync();
}

const failed = (why: string): DeliveryResult => ({ kind: 'failed', why, lasting: false });

function absent(error: unknown): undefined {
  if (errorCode(error) !== 'ENOENT') throw error;
}

import { open, type FileHandle } from 'node:fs/promises';

const isHandle = (it: object | null): it is Pick<FileHandle, 'datasync'> => it !== null && 'datasync' in it;

/** What all open files of this process flush with: for a test to put something else in its place. */
export async function allHandles(): Promise<Pick<FileHandle, 'datasync'>> {
  const some = await open('/dev/null');
  const shared = Reflect.getPrototypeOf(some);
  await some.close();
  if (!isHandle(shared)) throw new Error('this Node has other file handles');
  return shared;
}

/** What the system says of a disk that did not take something. */
export const diskFailed = (): Error => Object.assign(new Error('EIO: i/o error, fdatasync'), { code: 'EIO' });

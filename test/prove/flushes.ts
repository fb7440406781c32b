import { open, type FileHandle } from 'node:fs/promises';

const isHandle = (it: object | null): it is Pick<FileHandle, 'datasync'> => it !== null && 'datasync' in it;

/** The flush functions of all open files of this process, for tests to replace. */
export async function allHandles(): Promise<Pick<FileHandle, 'datasync'>> {
  const some = await open('/dev/null');
  const shared = Reflect.getPrototypeOf(some);
  await some.close();
  if (!isHandle(shared)) throw new Error('this Node has other file handles');
  return shared;
}

/** The system's error for a disk that failed a write. */
export const diskFailed = (): Error => Object.assign(new Error('EIO: i/o error, fdatasync'), { code: 'EIO' });

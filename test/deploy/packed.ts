import { pack } from '../../deploy/release.ts';

/** The package as a file: the one that SITEHAND_PACKAGE names, which a release publishes, or a new one in this folder. */
export const packed = async (folder: string): Promise<string> =>
  process.env['SITEHAND_PACKAGE'] ?? (await pack(folder)).file;

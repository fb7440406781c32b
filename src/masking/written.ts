import { isCoined, isPlace, technical } from './random.ts';
import { states } from './words.ts';

const state = new RegExp(`^(?:${states})[.,;:!]?$`, 'i');
/** Whether somebody wrote it as a credential among the words of a sentence. */
export const isWritten = (value: string): boolean =>
  isCoined(value) &&
  !/^[[({]?[a-z_]{1,30}=/i.test(value) &&
  /[\p{L}\d]{3}/u.test(value) &&
  !isPlace(value) &&
  !state.test(value) &&
  !technical.test(value) &&
  !/^[\w.+-]{1,60}@(?:[\w-]{1,60}\.){1,4}[a-z]{2,10}[.,;:!]?$/i.test(value);

/** Which messages of a log are errors, and which don't say how grave they are. */

/** How many characters are searched for the level. */
const levelCharacters = 300;

/** The first word of a level decides: a warning may mention errors, and an error may quote a warning. */
const level =
  /(^(?:PHP )?(?:warning|notice|deprecated|strict standards|info|debug)\b|\[(?:warn|notice|info|debug)\])|^alert:|\b(?:fatal|parse error|uncaught|unhandled|exception|panic|segfault|critical|emergency|error)\b|\[(?:error|crit|alert|emerg)\]/i;

/** Whether a message is an error rather than a warning or a notice. */
export function isGrave(message: string): boolean {
  const found = level.exec(message.slice(0, levelCharacters));
  return found !== null && found[1] === undefined;
}

/** Whether a message says how grave it is. */
export const hasLevel = (message: string): boolean => level.test(message.slice(0, levelCharacters));

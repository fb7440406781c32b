import { impressionIn, impressionOf, slownessIn, type Look, type SiteReading } from '../site-check/reading.ts';
import { bold, code, joined, say, type Text } from '../words/text.ts';
import { asWhom, certificateIn, isOnlyCached, seconds } from '../commands/check.ts';
import { counted } from '../commands/kit/page.ts';
import { whyMissing, type StatusPart, type StatusText } from '../commands/kit/site-status.ts';
import type { FirstReading } from './site-status.ts';

/** The site's own answer, as one line of a status. */

const maxLooks = 2;
const follows = "Verdict within 25 s, unless I'm restarted.";

export function siteText(part: StatusPart<FirstReading>): StatusText {
  if (part.kind === 'late')
    return { mark: '❔', says: say`unknown: one reading had not ended after ${part.afterMs / 1_000} s. ${follows}` };
  if (part.kind !== 'found') return whyMissing(part);
  const { found } = part;
  if (found.kind === 'cannot be checked')
    return { mark: '❔', says: say`can't be checked: ${found.why}. I didn't contact it.` };
  const { reading, instead } = found;
  const there = instead && say`Asked ${code(instead)} instead of the site.`;
  const { mark, says } = readingText(reading);
  return { mark, says: joined([says, there]) };
}

function readingText(reading: SiteReading): StatusText {
  const { looks, missing } = reading;
  const rest = looks.length - maxLooks;
  const details = [
    ...missing.slice(0, 1).map((one) => say`“${one.text.slice(0, 60)}” is missing ${asWhom(one)}`),
    ...looks.slice(0, maxLooks).map(lookText),
    ...(rest > 0 ? [say`${counted(rest, 'more answer')}`] : []),
  ];
  const all = say`${joined(details, ', ')}.`;
  const cached = isOnlyCached(looks) && say`Visitors still get pages, but past the cache the site fails.`;
  switch (impressionIn(reading)) {
    case 'well': {
      const isSlow = slownessIn([reading]) !== undefined;
      const how = isSlow ? say`**answers, but slowly**, in one reading` : say`answers well in one reading`;
      return { mark: isSlow ? '⚠️' : '✅', says: joined([say`${how}: ${all}`, certificateIn(looks)]) };
    }
    case 'bad':
      return {
        mark: '⚠️',
        says: joined([say`**answers badly** in one reading: ${all}`, cached || undefined, follows]),
      };
    case 'unknown':
      return { mark: '❔', says: say`unknown by one reading: ${all}` };
    case 'cannot be checked':
      return { mark: '❔', says: say`can't be checked: ${all}` };
  }
}

function lookText(look: Look): Text {
  if (look.kind === 'not checked') return say`not asked, because ${look.why}`;
  if (look.kind === 'no answer') return say`no answer ${asWhom(look)}: it ${look.why}`;
  const status = impressionOf(look) === 'bad' ? bold(String(look.status)) : String(look.status);
  const but = look.trouble ?? look.unread;
  return say`${status} in ${seconds(look.ms)} ${asWhom(look)}${but ? ` (${but})` : ''}`;
}

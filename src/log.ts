import { pino, type DestinationStream, type Logger } from 'pino';
import { z } from 'zod';
import { scrub } from './secret.ts';

export type { Logger };

/** What never reaches a log line, however deep it stands: the values of these keys, and of all that end in one of them. */
const unspeakable =
  /("[\w-]*(?:token|authorization|secret|password|key|cookie|response_url|trigger_id)":)(?:"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*)/gi;

/** JSON lines on standard output; secrets are removed by key and, whatever their key, by value. */
export function createLog(level: string, destination: DestinationStream = process.stdout): Logger {
  const clean = (line: string): string => {
    const plain = line.replace(unspeakable, '$1"***"');
    const scrubbed = scrub(plain);
    return scrubbed === plain || isJson(scrubbed) ? scrubbed : inText(line, scrubbed);
  };
  return pino({ level, base: undefined }, { write: (line) => destination.write(clean(line)) });
}

/** A text that ends where a credential begins has its end taken for one: the line is then told as a text. */
function inText(line: string, scrubbed: string): string {
  const { level, time } = levelled.parse(JSON.parse(line));
  return `${JSON.stringify({ level, time, msg: scrubbed.trimEnd() })}\n`;
}

const levelled = z.object({ level: z.number(), time: z.number() });

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

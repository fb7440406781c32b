import { readFileSync } from 'node:fs';

/** For `node --import ./test/prove/jumping-clock.ts?file=FILE`: adds the milliseconds in FILE to the bot's clock. */
const file = new URL(import.meta.url).searchParams.get('file') ?? '';
const right = Date.now;
Date.now = () => right() + Number(readFileSync(file, 'utf8'));

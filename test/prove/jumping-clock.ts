import { readFileSync } from 'node:fs';

/** Loaded before the bot: `node --import ./test/prove/jumping-clock.ts?file=FILE` adds the milliseconds in FILE to its clock. */
const file = new URL(import.meta.url).searchParams.get('file') ?? '';
const right = Date.now;
Date.now = () => right() + Number(readFileSync(file, 'utf8'));

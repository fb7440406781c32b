import { readFileSync, rmSync } from 'node:fs';

/**
 * Loaded before the bot: `node --import ./test/prove/clock.ts?hours=5&file=F` sets its clock so many hours wrong. While
 * it runs, SIGUSR2 sets it as many hours wrong as the file says, which is then removed.
 */
const asked = new URL(import.meta.url).searchParams;
const file = asked.get('file');
let hours = Number(asked.get('hours') ?? 0);
const right = Date.now;
Date.now = () => right() + hours * 3_600_000;

if (file !== null) {
  process.on('SIGUSR2', () => {
    hours = Number(readFileSync(file, 'utf8'));
    rmSync(file);
  });
}

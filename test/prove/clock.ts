import { readFileSync, rmSync } from 'node:fs';

/**
 * Loaded before the bot: `node --import ./test/prove/clock.ts?hours=5&file=F` sets its clock off by these hours. On
 * SIGUSR2 the running bot's clock is set off by the hours in the file, which is then removed.
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

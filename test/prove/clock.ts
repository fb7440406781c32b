/** Loaded before the bot: `node --import ./test/prove/clock.ts?hours=5` sets its clock so many hours wrong. */
const hours = Number(new URL(import.meta.url).searchParams.get('hours'));
const right = Date.now;
Date.now = () => right() + hours * 3_600_000;

/**
 * The deadline of every wait in a story, in ms. On an idle machine nothing takes a tenth of it. Runs outside
 * of a test's time limit wait longer.
 */
export const patienceMs = process.env['VITEST'] ? 60_000 : 120_000;

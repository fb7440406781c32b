import { mkdirSync, writeFileSync } from 'node:fs';
import { cpus, totalmem } from 'node:os';
import { dirname } from 'node:path';
import { parseArgs } from 'node:util';
import { measureApprove } from './approve.ts';
import { measureBatch } from './batch.ts';
import { measureClaim } from './claim.ts';
import { measureAcks } from './acks.ts';
import { isBeyond, tableOf, type Figure, type Scale } from './figures.ts';
import { measureMemoryGrowth } from './memory-growth.ts';
import { measureLogReport } from './log-report.ts';
import { createLoad } from './load.ts';
import { measurePolicy } from './policy.ts';
import { measurePrograms } from './programs.ts';
import { cores, keepOffTheLastCore } from './program.ts';
import { measureStart } from './start.ts';
import { measureFairness } from './fairness.ts';
import { measureHostile } from './hostile.ts';
import { measureSuggestions } from './suggestions.ts';
import { measureAuditPage } from './audit-page.ts';
import { startWorld } from './world.ts';

/**
 * Measures Sitehand against the smallest bot on Bolt, by turns in one run, because only ratios carry over between
 * machines. Prints a table. `--json FILE` writes every round, `--only NAME` measures one part. `--quick` takes about a
 * minute and a half, and ends with 1 if a ratio is beyond its limit by `grossly` in every round.
 */
const { values: asked } = parseArgs({
  options: { quick: { type: 'boolean', default: false }, json: { type: 'string' }, only: { type: 'string' } },
});
const scale: Scale = { quick: asked.quick };

const world = await startWorld();
const load = createLoad(world);
const parts: Readonly<Record<string, () => Promise<readonly Figure[]>>> = {
  start: () => measureStart(scale, world),
  acks: () => measureAcks(scale, world, load),
  approve: () => measureApprove(scale),
  batch: () => measureBatch(scale),
  memory: () => measureMemoryGrowth(scale, world, load),
  programs: () => measurePrograms(scale, world, load),
  fairness: () => measureFairness(scale, world, load),
  hostile: () => measureHostile(scale, world, load),
  suggestions: () => measureSuggestions(scale),
  logs: () => measureLogReport(scale),
  audit: () => measureAuditPage(scale),
  claim: () => measureClaim(scale),
  policy: () => measurePolicy(scale),
};
/** The parts that measure a program in another process. */
const inOwnProcess = new Set(['start', 'acks', 'approve', 'memory', 'programs', 'fairness', 'hostile']);
const chosen = Object.entries(parts).filter(([name]) => asked.only === undefined || asked.only === name);
if (chosen.length === 0) {
  process.stderr.write(`--only takes one of ${Object.keys(parts).join(', ')}. Nothing was measured.\n`);
  process.exit(1);
}

const figures: Figure[] = [];
for (const [name, measure] of chosen) {
  keepOffTheLastCore(inOwnProcess.has(name));
  const began = performance.now();
  figures.push(...(await measure()));
  process.stderr.write(`${name}: ${((performance.now() - began) / 1_000).toFixed(0)} s\n`);
}
await load.close();
await world.close();

const [cpu] = cpus();
const machine = `${cores} × ${cpu?.model ?? 'unknown'}, ${Math.round(totalmem() / 2 ** 30)} GB, Node ${process.version}`;
process.stdout.write(`${machine}\n\n${tableOf(figures)}\n`);
if (asked.json !== undefined) {
  mkdirSync(dirname(asked.json), { recursive: true });
  const measured = { at: new Date().toISOString(), machine, quick: scale.quick, figures };
  writeFileSync(asked.json, `${JSON.stringify(measured, undefined, 1)}\n`);
}
/** Rounds of a second on two cores differ by a third: only what is far worse than that is judged. */
const grossly = 2.5;
const beyond = scale.quick ? figures.filter((figure) => isBeyond(figure, grossly)) : [];
for (const { what, unit } of beyond) {
  process.stderr.write(
    `beyond ${grossly} times its target in every round: ${what}${unit === '×' ? '' : ' (no ratio, not judged)'}\n`,
  );
}
process.exitCode = beyond.some(({ unit }) => unit === '×') ? 1 : 0;

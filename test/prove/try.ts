import { cacheClear } from './cache-clear.ts';
import { live } from './life.ts';
const t = performance.now();
const only = process.argv[2];
const rows = cacheClear.rows.filter(({ name }) => !only || name.includes(only));
console.log(await live(cacheClear, rows, process.argv[3] ?? 's1'));
console.log(((performance.now() - t) / 1000).toFixed(1), process.resourceUsage().userCPUTime / 1e6);

import { expect, test } from 'vitest';
import { at, call, live, settled, start } from './calling.ts';

const noon = Date.UTC(2025, 10, 21, 12);

async function lines(hosting: Awaited<ReturnType<typeof start>>, query: string, environment = live): Promise<string[]> {
  const { body } = await call(hosting, 'GET', `/sites/environments/${environment}/logs?${query}`);
  return String(at(body, 'environment', 'container_info', 'logs'))
    .split('\n')
    .slice(0, -1);
}

const instant = (ms: number): string => encodeURIComponent(new Date(ms).toISOString());

test('a log has thousands of lines; the default is 1,000, the newest last', async () => {
  const hosting = await start({ now: () => noon });
  const all = await lines(hosting, 'file_name=access&lines=20000');
  expect(all).toHaveLength(20_000);
  expect(await lines(hosting, 'file_name=access')).toEqual(all.slice(-1_000));
  expect(await lines(hosting, 'file_name=access&lines=3')).toEqual(all.slice(-3));
  expect(all.at(-1)).toMatch(/\[21\/Nov\/2025:1[12]:\d\d:\d\d \+0000\]/);
});

test('every log has its own format, with everything that a log report must handle', async () => {
  const hosting = await start({ now: () => noon });
  const error = (await lines(hosting, 'file_name=error&lines=20000')).join('\n');
  for (const part of [
    /PHP Fatal error: {2}Uncaught/,
    /^#0 /m,
    /PHP Warning/,
    /@example\.com/,
    /password=\w{14}/,
    /Bearer \w{40}/,
  ]) {
    expect(error).toMatch(part);
  }
  // nginx's entries are one line each, with any PHP message; php-fpm's traces have several lines.
  const entry =
    /^(?:\d{4}\/\d\d\/\d\d [\d:]{8} \[(?:error|warn)\] (\d+)#\1: \*\d+ \S|\[\d\d-[A-Z][a-z]{2}-\d{4} [\d:]{8}(?: UTC)?\] (?:PHP Fatal error: |WARNING: |NOTICE: )|Stack trace:|#\d |  thrown in )/;
  expect(error.split('\n').filter((line) => !entry.test(line))).toEqual([]);
  expect(Math.max(...error.split('\n').map(({ length }) => length))).toBe(2_048);
  for (const part of [
    /FastCGI sent in stderr: "PHP message: [^"]*; PHP message: .*" while reading response header from upstream, client: [\da-f.:]+, server: /,
    /PHP Fatal error: {2}Uncaught.*\\nStack trace:\\n#0 .*\\n {2}thrown in .*" while reading/,
    /: \*\d+ open\(\) "\S+" failed \(2: No such file or directory\), client: /,
    /upstream timed out \(110: Connection timed out\) while reading/,
    /WordPress database error .* made by /,
    /\d\] WARNING: \[pool www\] /,
  ]) {
    expect(error).toMatch(part);
  }
  const access = await lines(hosting, 'file_name=access&lines=20000');
  const combined = /^[\da-f.:]+ - - \[[^\]]+\] "(GET|POST) \/\S* HTTP\/2\.0" \d{3} \d+ "[^"]*" "[^"]*" \d+\.\d{3}$/;
  expect(access.filter((line) => !combined.test(line))).toEqual([]);
  for (const part of [' 200 ', ' 404 ', ' 502 ', ' 302 ', '2001:db8:', '203.0.113.'])
    expect(access.join('\n')).toContain(part);
  const cache = await lines(hosting, 'file_name=service-cache-perf&lines=20000');
  expect(new Set(cache.map((line) => line.split(' ')[2]))).toEqual(new Set(['HIT', 'MISS', 'BYPASS']));
});

test('an older version ignores the range and the search, and sends its newest lines', async () => {
  const hosting = await start({ now: () => noon, ignoresLogSpan: true });
  const newest = await lines(hosting, 'file_name=access&lines=50');
  expect(await lines(hosting, `file_name=access&lines=50&to=${instant(noon - 3_600_000)}&search=x`)).toEqual(newest);
});

test('a range and a search only remove lines', async () => {
  const hosting = await start({ now: () => noon });
  const all = await lines(hosting, 'file_name=access&lines=20000');
  const hour = await lines(
    hosting,
    `file_name=access&lines=20000&from=${instant(noon - 7_200_000)}&to=${instant(noon - 3_600_000)}`,
  );
  expect(hour.length).toBeGreaterThan(100);
  expect(hour.every((line) => /2025:1[01]:\d\d:\d\d/.test(line))).toBe(true);
  expect(hour).toEqual(all.slice(all.indexOf(hour[0] ?? ''), all.indexOf(hour[0] ?? '') + hour.length));
  const found = await lines(hosting, 'file_name=access&lines=20000&search=wp-login');
  expect(found.slice(-50)).toEqual(all.filter((line) => line.includes('wp-login')).slice(-50));
  expect(await lines(hosting, `file_name=access&from=${instant(noon)}&to=${instant(noon - 1)}`)).toEqual([]);
  expect(await lines(hosting, 'file_name=access&from=1970-01-01T00:00:00Z&to=1970-01-02T00:00:00%2B02:00')).toEqual([]);
});

test('later reads return the earlier lines unchanged', async () => {
  let now = noon;
  const hosting = await start({ now: () => now });
  const before = await lines(hosting, 'file_name=access&lines=100');
  now += 600_000;
  const after = await lines(hosting, 'file_name=access&lines=1000');
  expect(after.indexOf(before[0] ?? '')).toBeGreaterThan(0);
  expect(after.at(-1)).not.toBe(before.at(-1));
});

test('clearing the cache shows as a purge and a burst of misses', async () => {
  const hosting = await start({ now: () => noon });
  await call(hosting, 'POST', '/sites/tools/clear-cache', { body: { environment_id: live } });
  await settled(hosting);
  const newest = await lines(hosting, 'file_name=service-cache-perf&lines=41');
  expect(newest[0]).toContain(' PURGE ');
  expect(newest.slice(1).every((line) => line.includes(' MISS '))).toBe(true);
});

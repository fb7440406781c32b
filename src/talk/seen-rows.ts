import { commandAt } from '../commands/index.ts';
import type { SeenRows } from '../commands/kit/report.ts';
import type { Domain, Environment } from '../hosting/contract/target.ts';
import type { AccessContext } from '../access/context.ts';
import type { Sight } from '../access/sight.ts';
import { listedAs } from '../access/visibility.ts';

/** Which rows of the company's lists one person may be shown by the command `path`, with all that it shows of others. */
export function seenRows({ names }: AccessContext, sight: Sight, path: string): SeenRows {
  const all = names(undefined);
  const domains = Map.groupBy(all.domains, ({ name }) => name.toLowerCase());
  const paths = [path, ...(commandAt(path).shows ?? [])];
  const isSeen = (target: Environment | Domain): boolean => paths.every((one) => sight.may(one, target) === 'yes');
  const unlisted = (id: string): Environment => ({ kind: 'environment', id, name: '', live: true, site: undefined });
  return {
    environment: (id = '') => {
      const env = unlisted(id);
      const listed = listedAs(all, env);
      return isSeen(listed?.kind === 'environment' ? listed : env);
    },
    domain: ({ id = '', name = '' }) => {
      const same = domains.get(name.toLowerCase()) ?? [];
      const known = same.find((one) => one.id === id) ?? (same.length === 1 ? same[0] : undefined);
      return isSeen(known ?? { kind: 'domain', id, name, site: undefined });
    },
  };
}

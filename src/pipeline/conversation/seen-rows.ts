import type { SeenRows } from '../../commands/kit/report.ts';
import type { Domain, Environment } from '../../hosting/contract/target.ts';
import type { AccessContext } from '../access/context.ts';
import type { Sight } from '../access/sight.ts';
import { listedAs } from '../access/visibility.ts';

/** Which rows of the company's lists one person may be shown by the command `path`. */
export function seenRows({ names }: AccessContext, sight: Sight, path: string): SeenRows {
  const all = names(undefined);
  const domains = Map.groupBy(all.domains, ({ name }) => name.toLowerCase());
  const unlisted = (id: string): Environment => ({ kind: 'environment', id, name: '', live: true, site: undefined });
  return {
    environment: (id = '') => {
      const env = unlisted(id);
      return sight.may(path, listedAs(all, env) ?? env) === 'yes';
    },
    domain: ({ id = '', name = '' }) => {
      const same = domains.get(name.toLowerCase()) ?? [];
      const known = same.find((one) => one.id === id) ?? (same.length === 1 ? same[0] : undefined);
      const target: Domain = known ?? { kind: 'domain', id, name, site: undefined };
      return sight.may(path, target) === 'yes';
    },
  };
}

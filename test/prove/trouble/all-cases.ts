import type { Scene } from '../scene.ts';
import { kinds, type Kind } from './change-kinds.ts';
import { troubles, type Trouble } from './troubles.ts';

/** One kind of change during one trouble on one database. */
export type Case = { readonly trouble: Trouble; readonly kind: Kind; readonly database: Scene['database'] };

/** Every trouble with every kind of change on every possible database. */
export const allCases = (): readonly Case[] =>
  troubles.flatMap((trouble) =>
    kinds
      .filter(({ name }) => !trouble.without?.includes(name))
      .flatMap((kind) =>
        (['SQLite', 'PostgreSQL'] as const)
          .filter((database) => trouble.only === undefined || trouble.only === database)
          .map((database) => ({ trouble, kind, database })),
      ),
  );

const quick = new Set(['the channel has rules of posting']);

/** What `--quick` runs of it. */
export const isQuickCase = ({ trouble, kind, database }: Case): boolean =>
  quick.has(trouble.name) && kind.name === 'destructive' && database === 'SQLite';

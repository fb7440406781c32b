import type { Scene } from '../scene.ts';
import { kinds, type Kind } from './kinds.ts';
import { weathers, type Weather } from './weathers.ts';

/** One kind of change in one weather on one database. */
export type Place = { readonly weather: Weather; readonly kind: Kind; readonly database: Scene['database'] };

/** Every weather with every kind of change on every possible database. */
export const forecast = (): readonly Place[] =>
  weathers.flatMap((weather) =>
    kinds
      .filter(({ name }) => !weather.without?.includes(name))
      .flatMap((kind) =>
        (['SQLite', 'PostgreSQL'] as const)
          .filter((database) => weather.only === undefined || weather.only === database)
          .map((database) => ({ weather, kind, database })),
      ),
  );

const quick = new Set(['the channel has rules of posting']);

/** What `--quick` runs of it. */
export const isQuickCell = ({ weather, kind, database }: Place): boolean =>
  quick.has(weather.name) && kind.name === 'destructive' && database === 'SQLite';

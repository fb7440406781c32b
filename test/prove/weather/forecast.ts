import type { Scene } from '../scene.ts';
import { kinds, type Kind } from './kinds.ts';
import { weathers, type Weather } from './weathers.ts';

/** One kind of change, the weather that comes upon it, and the database beneath. */
export type Place = { readonly weather: Weather; readonly kind: Kind; readonly database: Scene['database'] };

/** Every weather upon every kind of change, on every database on which it can be. */
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

/** What a quick look takes of it. */
export const isQuickCell = ({ weather, kind, database }: Place): boolean =>
  quick.has(weather.name) && kind.name === 'destructive' && database === 'SQLite';

/** How many requests and streams of each caller are under way, until their answers are taken, so that none keeps the others out. */

/** For one caller, and for all. */
export type Most = { readonly each: number; readonly all: number };
export const mostRequests: Most = { each: 16, all: 128 };
export const mostStreams: Most = { each: 500, all: 1_000 };

/** `begin` returns what ends the turn; undefined: too many are under way. */
export type Places = { readonly begin: (caller: string) => (() => void) | undefined };

export function createPlaces(most: Most): Places {
  const underWay = new Map<string, number>();
  let all = 0;
  return {
    begin: (caller) => {
      const own = underWay.get(caller) ?? 0;
      if (own >= most.each || all >= most.all) return undefined;
      underWay.set(caller, own + 1);
      all += 1;
      return () => {
        all -= 1;
        underWay.set(caller, (underWay.get(caller) ?? 1) - 1);
      };
    },
  };
}

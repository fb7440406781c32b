/** How many requests of each caller are under way, so that none keeps the others out. */

const maxEach = 64;
const maxInAll = 2_000;

/** `begin` returns what ends the turn; undefined: too many are under way. */
export type Places = { readonly begin: (caller: string) => (() => void) | undefined };

export function createPlaces(): Places {
  const underWay = new Map<string, number>();
  let all = 0;
  return {
    begin: (caller) => {
      const own = underWay.get(caller) ?? 0;
      if (own >= maxEach || all >= maxInAll) return undefined;
      underWay.set(caller, own + 1);
      all += 1;
      return () => {
        all -= 1;
        underWay.set(caller, (underWay.get(caller) ?? 1) - 1);
      };
    },
  };
}

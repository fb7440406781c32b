/** A resource that one holder uses at a time. */
type ExclusiveUse = { readonly take: (who: object) => void; readonly release: (who: object) => void };

/** `take` throws if somebody else holds it. The holder may take it again. */
export function createExclusiveUse(what: string): ExclusiveUse {
  let holder: object | undefined;
  return {
    take(who) {
      if (holder !== undefined && holder !== who)
        throw new Error(`${what} is in use: two at once would mix what came of them.`);
      holder = who;
    },
    release(who) {
      if (holder === who) holder = undefined;
    },
  };
}

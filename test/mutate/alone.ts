/** Something that serves one at a time. */
export type Alone = { readonly take: (who: object) => void; readonly giveBack: (who: object) => void };

/** Throws if another one still holds it. The holder may take it again. */
export function createAlone(what: string): Alone {
  let whose: object | undefined;
  return {
    take(who) {
      if (whose !== undefined && whose !== who)
        throw new Error(`${what} is in use: two at once would mix what came of them.`);
      whose = who;
    },
    giveBack(who) {
      if (whose === who) whose = undefined;
    },
  };
}

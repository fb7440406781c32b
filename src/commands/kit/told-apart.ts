/** Names in one list: those that others in it have too are shown with the end of their id. */

type Named = { readonly id: string; readonly name: string };

/** The fewest characters of an id that are shown. */
const least = 4;
/** Longer names are cut where something follows them. */
const maxName = 60;

/**
 * How the names of a list are shown, so that no two look the same: `acme-shop/live (…1001)` if another one is called
 * `acme-shop/live` too, in any case. A name that is not in the list is shown as it is.
 */
export function toldApart(all: readonly Named[]): (one: Named) => string {
  const byId = new Map(all.map((one) => [one.id, one]));
  const same = Map.groupBy(byId.values(), ({ name }) => comparable(name));
  return (one) => {
    const others = (same.get(comparable(one.name)) ?? []).filter(({ id }) => id !== one.id);
    if (others.length === 0) return one.name;
    let length = least;
    while (length < one.id.length && others.some(({ id }) => id.endsWith(one.id.slice(-length)))) length += 1;
    return `${one.name.slice(0, maxName)} (…${one.id.slice(-length)})`;
  };
}

const comparable = (name: string): string => name.normalize('NFKC').toLowerCase();

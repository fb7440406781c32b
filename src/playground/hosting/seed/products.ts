import type { Product } from '../resources.ts';

const usual: readonly Product[] = [
  { name: 'Oak lamp', price: 8_900 },
  { name: 'Wool blanket', price: 6_400 },
  { name: 'Bread knife', price: 3_250 },
  { name: 'Tea pot', price: 4_800 },
];

/** What a seeded environment sells; its staging environment has something new, and new prices. */
export function productsOf(site: string, environment: string): readonly Product[] {
  const own = { name: `${site} gift card`, price: 2_500 };
  if (environment === 'live') return [...usual, own];
  return [...usual.map(({ name, price }) => ({ name, price: price + 500 })), own, { name: 'Candle set', price: 1_900 }];
}

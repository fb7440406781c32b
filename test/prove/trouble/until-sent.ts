import { eventually, type Scene } from '../scene.ts';

/** Makes held work due; resolves when the host has one more write. */
export async function sent({ scenario, hurry }: Scene, before: number): Promise<void> {
  await eventually('written', async () => {
    await hurry();
    return scenario.writes().length > before ? '' : 'no write yet';
  });
}

import { sitehand } from '../src/sitehand.ts';

await sitehand(process.argv.slice(2));

import { weather } from './cell.ts';
import { kinds } from './kinds.ts';
import { drawWeather } from './table.ts';
import { weathers } from './weathers.ts';
const [, , w = '', k = ''] = process.argv;
const cells = [];
for (const one of weathers.filter(({ name }) => name.includes(w)))
  for (const kind of kinds.filter(({ name }) => name.includes(k))) {
    try {
      cells.push(await weather(one, kind));
    } catch (error) {
      console.log('✗', one.name, kind.name, String(error).slice(0, 600));
    }
  }
console.log(drawWeather(cells));

import { crc32, deflateSync, inflateSync } from 'node:zlib';

type Pixels = { readonly width: number; readonly height: number; readonly rgb: Buffer };

/**
 * Reduces a picture to 256 colours, which is a third of the bytes. Takes 8-bit RGB without interlacing, as Chromium
 * writes it.
 */
export function smallPng(png: Buffer): Buffer {
  const { width, height, rgb } = decode(png);
  const at = (pixel: number): number => rgb.readUIntBE(pixel * 3, 3);
  const counts = new Map<number, number>();
  for (let pixel = 0; pixel < width * height; pixel += 1) counts.set(at(pixel), (counts.get(at(pixel)) ?? 0) + 1);
  const palette = [...counts]
    .sort(([, one], [, other]) => other - one)
    .slice(0, 256)
    .map(([color]) => color);
  const index = new Map([...counts.keys()].map((color) => [color, nearest(palette, color)]));
  const rows = Buffer.alloc((width + 1) * height);
  for (let pixel = 0; pixel < width * height; pixel += 1) {
    rows[pixel + Math.floor(pixel / width) + 1] = index.get(at(pixel)) ?? 0;
  }
  const head = Buffer.alloc(13);
  head.writeUInt32BE(width, 0);
  head.writeUInt32BE(height, 4);
  head.set([8, 3, 0, 0, 0], 8);
  const colors = Buffer.alloc(palette.length * 3);
  for (const [place, color] of palette.entries()) colors.writeUIntBE(color, place * 3, 3);
  const body = deflateSync(rows, { level: 9 });
  return Buffer.concat([png.subarray(0, 8), chunk('IHDR', head), chunk('PLTE', colors), chunk('IDAT', body), END]);
}

function chunk(name: string, data: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(name), data]);
  const around = Buffer.alloc(8);
  around.writeUInt32BE(data.length, 0);
  around.writeUInt32BE(crc32(named), 4);
  return Buffer.concat([around.subarray(0, 4), named, around.subarray(4)]);
}

const END = chunk('IEND', Buffer.alloc(0));

function nearest(palette: readonly number[], color: number): number {
  let [found, least] = [0, Infinity];
  for (const [place, other] of palette.entries()) {
    const parts = [16, 8, 0].map((shift) => ((color >> shift) & 255) - ((other >> shift) & 255));
    const far = parts.reduce((sum, part) => sum + part * part, 0);
    if (far < least) [found, least] = [place, far];
  }
  return found;
}

function decode(png: Buffer): Pixels {
  const chunks: { readonly name: string; readonly data: Buffer }[] = [];
  for (let at = 8; at < png.length;) {
    const size = png.readUInt32BE(at);
    chunks.push({ name: png.toString('latin1', at + 4, at + 8), data: png.subarray(at + 8, at + 8 + size) });
    at += 12 + size;
  }
  const head = chunks[0]?.data ?? Buffer.alloc(13);
  if (head[8] !== 8 || head[9] !== 2 || head[12] !== 0) throw new Error('Only 8-bit RGB without interlacing is read.');
  const [width, height] = [head.readUInt32BE(0), head.readUInt32BE(4)];
  const packed = chunks.filter(({ name }) => name === 'IDAT').map(({ data }) => data);
  return { width, height, rgb: unfiltered(inflateSync(Buffer.concat(packed)), width * 3, height) };
}

/** Each row begins with its filter, which predicts bytes from those at the left, above, and above left. */
function unfiltered(raw: Buffer, size: number, height: number): Buffer {
  const out = Buffer.alloc(size * height);
  for (let y = 0; y < height; y += 1) {
    const kind = raw[y * (size + 1)] ?? 0;
    for (let x = 0; x < size; x += 1) {
      const here = y * size + x;
      const left = x < 3 ? 0 : (out[here - 3] ?? 0);
      const above = out[here - size] ?? 0;
      const corner = x < 3 ? 0 : (out[here - size - 3] ?? 0);
      const guess = [0, left, above, (left + above) >> 1, paeth(left, above, corner)][kind] ?? 0;
      out[here] = (raw[y * (size + 1) + 1 + x] ?? 0) + guess;
    }
  }
  return out;
}

function paeth(left: number, above: number, corner: number): number {
  const near = (value: number): number => Math.abs(left + above - corner - value);
  if (near(left) <= near(above) && near(left) <= near(corner)) return left;
  return near(above) <= near(corner) ? above : corner;
}

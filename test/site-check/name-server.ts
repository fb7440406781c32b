import { once } from 'node:events';
import { createSocket } from 'node:dgram';
import { Resolver } from 'node:dns/promises';
import { onTestFinished } from 'vitest';

/** What a name leads to: addresses of both families, another name, no such name, a failure, or no answer at all. */
export type Found = readonly string[] | { readonly alias: string } | 'NXDOMAIN' | 'SERVFAIL' | 'silence';
type NameServer = {
  /** `A shop.example.com`, one for each question. */
  readonly asked: readonly string[];
  readonly resolver: () => Resolver;
  readonly close: () => void;
};

const codes = { NXDOMAIN: 3, SERVFAIL: 2 } as const;

/**
 * A name server on loopback whose answers live 0 seconds. `answer` is told how often that name was asked for that type.
 * `timeout`: how long its resolvers wait, in ms; short where it is silent.
 */
export async function nameServer(
  answer: (name: string, type: 'A' | 'AAAA', nth: number) => Found,
  timeout = 5_000,
): Promise<NameServer> {
  const asked: string[] = [];
  const socket = createSocket('udp4');
  socket.on('message', (question, from) => {
    const [name, end] = nameAt(question, 12);
    const type = question.readUInt16BE(end) === 1 ? 'A' : 'AAAA';
    asked.push(`${type} ${name}`);
    const found = answer(name, type, asked.filter((one) => one === `${type} ${name}`).length);
    if (found === 'silence') return;
    const records = typeof found === 'string' ? [] : recordsOf(name, type, found, answer);
    const head = Buffer.from(question.subarray(0, 12));
    head.writeUInt16BE(0x8180 | (typeof found === 'string' ? codes[found] : 0), 2);
    head.writeUInt16BE(records.length, 6);
    head.writeUInt32BE(0, 8);
    socket.send(Buffer.concat([head, question.subarray(12, end + 4), ...records]), from.port, from.address);
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  let open = true;
  const close = (): void => {
    if (open) socket.close();
    open = false;
  };
  onTestFinished(close);
  const resolver = (): Resolver => {
    const made = new Resolver({ timeout, tries: 1 });
    made.setServers([`127.0.0.1:${socket.address().port}`]);
    return made;
  };
  return { asked, resolver, close };
}

function nameAt(bytes: Buffer, from: number): readonly [name: string, end: number] {
  const labels: string[] = [];
  let at = from;
  for (let length = bytes[at] ?? 0; length > 0; length = bytes[at] ?? 0) {
    labels.push(bytes.toString('latin1', at + 1, at + 1 + length));
    at += 1 + length;
  }
  return [labels.join('.').toLowerCase(), at + 1];
}

/** All records of an answer: the aliases on the way, and the addresses at its end. */
function recordsOf(name: string, type: 'A' | 'AAAA', found: Found, answer: Parameters<typeof nameServer>[0]): Buffer[] {
  if (typeof found === 'string') return [];
  if ('alias' in found) {
    const next = answer(found.alias, type, 1);
    return [record(name, 5, spelled(found.alias)), ...recordsOf(found.alias, type, next, answer)];
  }
  const family = found.filter((address) => address.includes(':') === (type === 'AAAA'));
  return family.map((address) => record(name, type === 'A' ? 1 : 28, bytesOf(address)));
}

const record = (name: string, type: number, data: Buffer): Buffer => {
  const fixed = Buffer.alloc(10);
  fixed.writeUInt16BE(type, 0);
  fixed.writeUInt16BE(1, 2);
  fixed.writeUInt16BE(data.length, 8);
  return Buffer.concat([spelled(name), fixed, data]);
};

const spelled = (name: string): Buffer =>
  Buffer.concat([
    ...name.split('.').map((label) => Buffer.from(`${String.fromCharCode(label.length)}${label}`)),
    Buffer.alloc(1),
  ]);

/** An IPv6 address is given in full, without `::`. */
const bytesOf = (address: string): Buffer =>
  address.includes(':')
    ? Buffer.from(
        address
          .split(':')
          .map((part) => part.padStart(4, '0'))
          .join(''),
        'hex',
      )
    : Buffer.from(address.split('.').map(Number));

import { generateKeyPairSync, sign } from 'node:crypto';

/**
 * A self-signed certificate (for localhost by default) with its key, as PEM, made for every run. `from` and `until` are
 * days from now.
 */
export function selfSigned({ hosts = ['localhost'], from = -1, until = 1 } = {}): {
  readonly key: string;
  readonly cert: string;
} {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const algorithm = der(0x30, Buffer.from('06082a8648ce3d040302', 'hex'));
  const name = der(0x30, der(0x31, der(0x30, Buffer.from('0603550403', 'hex'), der(0x0c, Buffer.from('localhost')))));
  const day = (days: number): Buffer =>
    der(0x18, Buffer.from(new Date(Date.now() + days * 864e5).toISOString().replaceAll(/[-:T]|\.\d+/g, '')));
  const dnsNames = hosts.map((host) => der(0x82, Buffer.from(host)));
  const names = der(0x30, ...dnsNames, der(0x87, Buffer.from([127, 0, 0, 1])));
  const alternative = der(0x30, Buffer.from('0603551d11', 'hex'), der(0x04, names));
  const toSign = der(
    0x30,
    der(0xa0, der(0x02, Buffer.from([2]))),
    der(0x02, Buffer.from([1])),
    algorithm,
    name,
    der(0x30, day(from), day(until)),
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
    der(0xa3, der(0x30, alternative)),
  );
  const signature = der(0x03, Buffer.from([0]), sign('sha256', toSign, privateKey));
  const cert = der(0x30, toSign, algorithm, signature).toString('base64');
  return {
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    cert: `-----BEGIN CERTIFICATE-----\n${cert.replaceAll(/.{64}/g, '$&\n')}\n-----END CERTIFICATE-----\n`,
  };
}

function der(tag: number, ...parts: readonly Buffer[]): Buffer {
  const content = Buffer.concat(parts);
  const { length } = content;
  const size = length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 255];
  return Buffer.concat([Buffer.from([tag, ...size]), content]);
}

import { createPrivateKey, X509Certificate } from 'node:crypto';
import { closeSync, constants, fstatSync, openSync, readdirSync, readFileSync, realpathSync } from 'node:fs';
import path from 'node:path';
import { attempt } from '../base/errors.ts';
import { Secret } from '../base/secret.ts';
import { say, time, type Inline, type Text } from '../words/text.ts';
import type { Certificate, SecretReference } from './contract/domains.ts';

/** Why no certificate can be used, as sentences for people. */
type Wrong = { readonly wrong: Text };

/** Pairs of `NAME.pem` and `NAME.key` in one folder. They are read at each use, so renewed files are seen. */
export type Certificates = {
  readonly certificate: (name: string) => Certificate | Wrong;
  /** The content of a file that a call refers to as `NAME.key` or `NAME.pem`; undefined if it cannot be read. */
  readonly secrets: (reference: string) => Secret | undefined;
};

const maxBytes = 65_536;
const shownNames = 10;
const nameShape = /^(?!\.{1,2}$)[\w.-]{1,100}$/;
const fileShape = /^(.+)\.(key|pem)$/;

/** The certificates of a folder; without a folder there are none. */
export function openCertificates(folder: string | undefined): Certificates {
  return {
    certificate: (name) => {
      if (folder === undefined) return wrong('There are no certificates on this machine: CERTIFICATES_DIR is not set.');
      if (!nameShape.test(name)) return wrong('This cannot be the name of a certificate.', folder);
      const key = contentOf(folder, `${name}.key`);
      const chain = contentOf(folder, `${name}.pem`);
      if (chain === undefined) return wrong(`${name}.pem is missing or can't be read.`, folder);
      if (key === undefined) return wrong(`${name}.key is missing or can't be read.`, folder);
      const checked = checkedPair(name, key, chain, Date.now());
      return 'wrong' in checked ? wrong(checked.wrong, folder) : checked;
    },
    secrets: (reference) => {
      const [, name = ''] = fileShape.exec(reference) ?? [];
      return folder !== undefined && nameShape.test(name) ? contentOf(folder, reference) : undefined;
    },
  };
}

function wrong(what: Inline, folder?: string): Wrong {
  const names = folder === undefined ? [] : namesIn(folder);
  const more = names.length > shownNames ? ` and ${names.length - shownNames} more` : '';
  const found = names.length > 0 ? `I found: ${names.slice(0, shownNames).join(', ')}${more}.` : 'I found none.';
  return { wrong: say`${what}${folder === undefined ? '' : ` ${found}`} Nothing was done.` };
}

/** The names that have both files. */
function namesIn(folder: string): readonly string[] {
  const files = new Set(attempt(() => readdirSync(folder)) ?? []);
  return [...files]
    .flatMap((file) => (file.endsWith('.pem') ? [file.slice(0, -'.pem'.length)] : []))
    .filter((name) => nameShape.test(name) && files.has(`${name}.key`))
    .toSorted();
}

/** Reads a small regular file. Links are followed only inside the folder; anything else is undefined. */
function contentOf(folder: string, file: string): Secret | undefined {
  let opened: number | undefined;
  try {
    const home = realpathSync(folder);
    const real = realpathSync(path.join(home, file));
    if (!real.startsWith(home.endsWith(path.sep) ? home : `${home}${path.sep}`)) return undefined;
    // Don't follow a link that was put there in the meantime, and don't wait on a pipe.
    opened = openSync(real, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    const found = fstatSync(opened);
    if (!found.isFile() || found.size === 0 || found.size > maxBytes) return undefined;
    return new Secret(readFileSync(opened, 'utf8'));
  } catch {
    return undefined;
  } finally {
    if (opened !== undefined) closeSync(opened);
  }
}

function checkedPair(name: string, key: Secret, chain: Secret, now: number): Certificate | Wrong {
  if (/PRIVATE KEY/.test(chain.reveal()))
    return { wrong: say`${name}.pem contains a private key, which belongs only in ${name}.key.` };
  const leaf = firstOf(chain.reveal());
  if (leaf === undefined) return { wrong: say`${name}.pem is not a certificate in PEM.` };
  const privateKey = attempt(() => createPrivateKey(key.reveal()));
  if (privateKey === undefined) return { wrong: say`${name}.key is not a private key in PEM, or it has a password.` };
  if (!attempt(() => leaf.checkPrivateKey(privateKey)))
    return { wrong: say`${name}.key is not the key of the first certificate in ${name}.pem.` };
  const [validFrom, validUntil] = [Date.parse(leaf.validFrom), Date.parse(leaf.validTo)];
  if (!(validUntil > now)) return { wrong: say`The certificate ${name} expired on ${momentOf(validUntil)}.` };
  if (!(validFrom <= now)) return { wrong: say`The certificate ${name} is not valid before ${momentOf(validFrom)}.` };
  return { key: refTo(`${name}.key`, key), chain: refTo(`${name}.pem`, chain), names: namesOf(leaf), validUntil };
}

const refTo = ($secret: string, secret: Secret): SecretReference => ({ $secret, sha256: secret.digest() });
const momentOf = (at: number): Inline => (Number.isNaN(at) ? 'an unreadable date' : time(at, 'date'));

/** The first certificate of a chain; undefined unless every certificate in it can be read. */
function firstOf(pem: string): X509Certificate | undefined {
  const parts = pem.match(/-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g) ?? [];
  const [leaf] = attempt(() => parts.map((part) => new X509Certificate(part))) ?? [];
  return parts.length === (pem.match(/-----BEGIN /g) ?? []).length ? leaf : undefined;
}

/** The DNS names of a certificate. Node quotes odd values; those may contain what looks like a name, so skip them. */
function namesOf({ subjectAltName = '' }: X509Certificate): readonly string[] {
  const bare = subjectAltName.replaceAll(/"(?:[^"\\]|\\.)*"/g, '');
  return [...bare.matchAll(/(?:^|, )DNS:([^,\s]+)/g)].map(([, name = '']) => name.toLowerCase());
}

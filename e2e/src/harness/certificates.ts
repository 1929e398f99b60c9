import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** A certificate for localhost, 127.0.0.1 and one more address, and the authority behind it. */
export interface Certificates {
  readonly caFile: string;
  readonly ca: string;
  readonly certFile: string;
  readonly keyFile: string;
  /** Key, certificate and authority in one file. */
  readonly chainFile: string;
}

const openssl = (folder: string, ...args: readonly string[]): void => {
  const { status, stderr } = spawnSync('openssl', args, { cwd: folder });
  if (status !== 0) throw new Error(`openssl ${args[0] ?? ''} failed: ${String(stderr)}`);
};

const make = (folder: string, host: string): void => {
  const key = ['-newkey', 'rsa:2048', '-nodes'];
  writeFileSync(join(folder, 'names.cnf'), `subjectAltName=DNS:localhost,IP:127.0.0.1,IP:${host}\n`);
  openssl(folder, 'req', '-x509', ...key, '-days', '30', '-subj', '/CN=test-ca', '-keyout', 'ca.key', '-out', 'ca.crt');
  openssl(folder, 'req', '-new', ...key, '-subj', '/CN=localhost', '-keyout', 'server.key', '-out', 'server.csr');
  const signed = ['-CA', 'ca.crt', '-CAkey', 'ca.key', '-CAcreateserial', '-days', '30', '-extfile', 'names.cnf'];
  openssl(folder, 'x509', '-req', '-in', 'server.csr', ...signed, '-out', 'server.crt');
  const chain = ['server.key', 'server.crt', 'ca.crt'].map((name) => readFileSync(join(folder, name), 'utf8'));
  writeFileSync(join(folder, 'chain.pem'), chain.join(''));
};

/** Makes an authority and a server's certificate in a folder, once, for this machine and an address of its own. Needs openssl. */
export const makeCertificates = (folder: string, host = '127.0.0.1'): Certificates => {
  mkdirSync(folder, { recursive: true });
  const file = (name: string): string => join(folder, name);
  if (!existsSync(file('chain.pem'))) make(folder, host);
  return {
    caFile: file('ca.crt'),
    ca: readFileSync(file('ca.crt'), 'utf8'),
    certFile: file('server.crt'),
    keyFile: file('server.key'),
    chainFile: file('chain.pem'),
  };
};

import { createCipheriv, createDecipheriv, hash, hkdfSync, randomBytes } from 'node:crypto';

/** An AES-256-GCM key, with the id that its values contain. */
export interface EncryptionKey {
  /** 8 hex digits, derived from the key without revealing it. */
  readonly id: string;
  readonly bytes: Buffer;
}

const form = 'enc:v1';
const nonceLength = 12;
const tagLength = 16;
const written = /^enc:v1:(?<id>[0-9a-f]{8}):(?<body>[\w-]+)$/;

/** Creates a key from 32 random bytes. */
export const encryptionKey = (bytes: Uint8Array): EncryptionKey => ({
  id: hash('sha256', Buffer.concat([Buffer.from('ranger-relay store key id:'), bytes])).slice(0, 8),
  bytes: Buffer.from(bytes),
});

/** Derives a key from a secret that all processes of an installation have (HKDF-SHA256). */
export const derivedKey = (secret: string): EncryptionKey =>
  encryptionKey(new Uint8Array(hkdfSync('sha256', secret, '', 'ranger-relay store encryption v1', 32)));

/** The additional authenticated data: a value that is moved to another entry cannot be decrypted. */
const boundTo = (id: string, name: string): Buffer => Buffer.from(`${form}:${id}:${name}`);

/** Whether a value is encrypted, with any key. */
export const isEncrypted = (text: string): boolean => text.startsWith('enc:');

/** Encrypts the value of the entry `name`: `enc:v1:<key id>:<base64url of nonce, ciphertext and tag>`. */
export const encrypt = ({ id, bytes }: EncryptionKey, name: string, text: string): string => {
  const nonce = randomBytes(nonceLength);
  const cipher = createCipheriv('aes-256-gcm', bytes, nonce, { authTagLength: tagLength }).setAAD(boundTo(id, name));
  const body = Buffer.concat([nonce, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()]);
  return `${form}:${id}:${body.toString('base64url')}`;
};

/** Decrypts a value of the entry `name`; undefined when none of the keys fits, or when the value was altered or moved. */
export const decrypt = (keys: readonly EncryptionKey[], name: string, value: string): string | undefined => {
  const { id, body = '' } = written.exec(value)?.groups ?? {};
  const key = keys.find((one) => one.id === id);
  const bytes = Buffer.from(body, 'base64url');
  // The last character of base64url can have unused bits; only the canonical form is accepted.
  if (!key || bytes.length < nonceLength + tagLength || bytes.toString('base64url') !== body) return undefined;
  const end = bytes.length - tagLength;
  try {
    const decipher = createDecipheriv('aes-256-gcm', key.bytes, bytes.subarray(0, nonceLength), {
      authTagLength: tagLength,
    });
    decipher.setAAD(boundTo(key.id, name)).setAuthTag(bytes.subarray(end));
    return Buffer.concat([decipher.update(bytes.subarray(nonceLength, end)), decipher.final()]).toString('utf8');
  } catch {
    return undefined;
  }
};

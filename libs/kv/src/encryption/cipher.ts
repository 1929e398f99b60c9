import { createCipheriv, createDecipheriv, hash, hkdfSync, randomBytes } from 'node:crypto';

/** A key of AES-256-GCM, and the name that values written with it carry. */
export interface EncryptionKey {
  /** 8 hex digits that follow from the key and do not tell it. */
  readonly id: string;
  readonly bytes: Buffer;
}

const form = 'enc:v1';
const nonceLength = 12;
const tagLength = 16;
const written = /^enc:v1:(?<id>[0-9a-f]{8}):(?<body>[\w-]+)$/;

/** A key from 32 random bytes. */
export const encryptionKey = (bytes: Uint8Array): EncryptionKey => ({
  id: hash('sha256', Buffer.concat([Buffer.from('ranger-relay store key id:'), bytes])).slice(0, 8),
  bytes: Buffer.from(bytes),
});

/** The key that follows from a secret which every process of an installation has (HKDF-SHA256). */
export const derivedKey = (secret: string): EncryptionKey =>
  encryptionKey(new Uint8Array(hkdfSync('sha256', secret, '', 'ranger-relay store encryption v1', 32)));

/** What a value is bound to: moved to another entry it cannot be read. */
const boundTo = (id: string, name: string): Buffer => Buffer.from(`${form}:${id}:${name}`);

/** True for a value that was encrypted, by whatever key. */
export const isEncrypted = (text: string): boolean => text.startsWith('enc:');

/** Encrypts the value of the entry `name`: `enc:v1:<key id>:<base64url of nonce, ciphertext and tag>`. */
export const encrypt = ({ id, bytes }: EncryptionKey, name: string, text: string): string => {
  const nonce = randomBytes(nonceLength);
  const cipher = createCipheriv('aes-256-gcm', bytes, nonce, { authTagLength: tagLength }).setAAD(boundTo(id, name));
  const body = Buffer.concat([nonce, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()]);
  return `${form}:${id}:${body.toString('base64url')}`;
};

/** Decrypts a value of the entry `name`; undefined when none of the keys can, or it was altered or moved. */
export const decrypt = (keys: readonly EncryptionKey[], name: string, value: string): string | undefined => {
  const { id, body = '' } = written.exec(value)?.groups ?? {};
  const key = keys.find((one) => one.id === id);
  const bytes = Buffer.from(body, 'base64url');
  // The last letter of base64url can have bits that stand for nothing: only one way of writing is taken.
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

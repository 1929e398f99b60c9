import type { KvSpace } from '../port.ts';
import { decrypt, encrypt, isEncrypted, type EncryptionKey } from './cipher.ts';

/**
 * A space with encrypted values, for entries that can be loaded again: a value that cannot be decrypted counts as absent. A type of its own, so
 * that secrets cannot be written to a plain space.
 */
export interface EncryptedSpace extends KvSpace {
  /** Names of live entries that start with `prefix`, sorted; includes entries that cannot be decrypted. */
  keys(prefix: string): Promise<readonly string[]>;
}

/** Options of the encryption. */
export interface EncryptionOptions {
  /** Encrypts and decrypts. */
  readonly key: EncryptionKey;
  /** Decrypts values of the previous key. */
  readonly previous?: EncryptionKey | undefined;
  /** Whether an entry contains no secret and stays unencrypted, so that it is readable with any key. */
  readonly isClear?: (name: string) => boolean;
  /** Called for a value that cannot be decrypted; its exception reaches the caller of the read. */
  readonly onUnreadable?: (name: string) => void;
}

/**
 * Encrypts the values of a space, except those in clear. A compare takes
 * two calls; its result is also false when the value was rewritten in between.
 */
export const encryptedSpace = (space: KvSpace, options: EncryptionOptions): EncryptedSpace => {
  const { key, previous, isClear = () => false, onUnreadable } = options;
  const readable = previous ? [key, previous] : [key];

  /** The stored form of a text. */
  const seal = (name: string, text: string): string => (isClear(name) ? text : encrypt(key, name, text));

  const open = (name: string, stored: string | null): string | null => {
    if (stored === null || isClear(name)) return stored;
    const text = isEncrypted(stored) ? decrypt(readable, name, stored) : undefined;
    if (text === undefined) onUnreadable?.(name);
    return text ?? null;
  };

  /** The stored value, if it decrypts to this text. */
  const storedAs = async (name: string, text: string | null): Promise<string | null> => {
    const stored = await space.get(name);
    return stored !== null && open(name, stored) === text ? stored : null;
  };

  return {
    get: async (name) => open(name, await space.get(name)),
    set: (name, value, how) => space.set(name, seal(name, value), how),
    async setIfAbsent(name, value, how) {
      const sealed = seal(name, value);
      if (await space.setIfAbsent(name, sealed, how)) return true;
      const unreadable = await storedAs(name, null);
      return unreadable !== null && space.compareAndSet(name, unreadable, sealed, how);
    },
    async compareAndSet(name, expected, value, how) {
      const stored = await storedAs(name, expected);
      return stored !== null && space.compareAndSet(name, stored, seal(name, value), how);
    },
    async compareAndDelete(name, expected) {
      const stored = await storedAs(name, expected);
      return stored !== null && space.compareAndDelete(name, stored);
    },
    delete: space.delete,
    list: async (prefix) =>
      (await space.list(prefix)).flatMap((entry) => {
        const value = open(entry.key, entry.value);
        return value === null ? [] : [{ key: entry.key, value }];
      }),
    keys: async (prefix) => (await space.list(prefix)).map((entry) => entry.key),
  };
};

import type { KvSpace } from '../port.ts';
import { decrypt, encrypt, isEncrypted, type EncryptionKey } from './cipher.ts';

/**
 * A space whose values lie encrypted in the store. What may hold secrets asks for this, so that it cannot be given a plain space. A value
 * that cannot be decrypted counts as absent: it is for what can be had anew.
 */
export interface EncryptedSpace extends KvSpace {
  /** Names of live entries that start with `prefix`, sorted, also of those that cannot be decrypted. */
  keys(prefix: string): Promise<readonly string[]>;
}

/** How a space is encrypted. */
export interface EncryptionOptions {
  /** Writes and reads. */
  readonly key: EncryptionKey;
  /** Reads too: the key before. */
  readonly previous?: EncryptionKey | undefined;
  /** Names of entries that hold no secret and lie in clear, so that they serve whatever the key is. */
  readonly isClear?: (name: string) => boolean;
  /** Hears of a value that cannot be decrypted; what it throws is thrown to who asked for the value. */
  readonly onUnreadable?: (name: string) => void;
}

/**
 * Encrypts what goes to a space, but for entries in clear, and decrypts what comes from it. Plain values are read as they are, and encrypted when
 * they are next written. The conditional writes that compare take two calls; false also when the value was written anew in between.
 */
export const encryptedSpace = (space: KvSpace, options: EncryptionOptions): EncryptedSpace => {
  const { key, previous, isClear = () => false, onUnreadable } = options;
  const readable = previous ? [key, previous] : [key];

  /** What is written for a text. */
  const seal = (name: string, text: string): string => (isClear(name) ? text : encrypt(key, name, text));

  const open = (name: string, stored: string | null): string | null => {
    if (stored === null || !isEncrypted(stored)) return stored;
    const text = decrypt(readable, name, stored);
    if (text === undefined) onUnreadable?.(name);
    return text ?? null;
  };

  /** The stored form, when it stands for this text. */
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

import { RelayError } from '@ranger-relay/errors';
import type { KeyValue } from '@ranger-relay/kv';

/** A store of which only set-if-absent is used, and which can be taken away. */
export interface MemoryKv {
  readonly kv: KeyValue;
  readonly entries: Map<string, string>;
  away: boolean;
}

/** Makes an empty store. */
export const memoryKv = (): MemoryKv => {
  const entries = new Map<string, string>();
  const state = {
    async setIfAbsent(key: string, value: string) {
      if (memory.away) throw new RelayError('kv_unavailable', { details: { reason: 'taken away' } });
      if (entries.has(key)) return false;
      entries.set(key, value);
      return true;
    },
  };
  const memory: MemoryKv = { entries, away: false, kv: { state, config: state } as unknown as KeyValue };
  return memory;
};

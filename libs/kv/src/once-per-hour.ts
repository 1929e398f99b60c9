import { type KvSpace, storeKey } from './port.ts';

const hourMs = 3_600_000;

/** True for the first call with these parts within an hour, across all processes. @throws RelayError `kv_unavailable` */
export const oncePerHour = (space: Pick<KvSpace, 'setIfAbsent'>, ...parts: readonly string[]): Promise<boolean> =>
  space.setIfAbsent(storeKey('hourly', ...parts), 'told', { ttlMs: hourMs });

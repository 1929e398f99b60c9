import { stateKey, watermarkOf, wholeAction, type StateValue } from '@ranger-relay/actions';
import { jsonOf } from '@ranger-relay/errors';
import type { KvSpace } from '@ranger-relay/kv';

/** One stored state of an integration. */
export interface StateEntry {
  readonly action: string;
  readonly source: string;
  readonly bytes: number;
  /** Time in the value: its watermark or its last update, ISO 8601; null when it has none. */
  readonly as_of: string | null;
  /** It is the lease of a run that is under way. */
  readonly lease: boolean;
}

/** Source of the lease of a run. */
export const leaseSource = 'backfill-lock';

const prefixOf = (integration: string): string => stateKey.of(integration, '', '').slice(0, -1);

const objectOf = (text: string): StateValue => {
  const value = jsonOf(text);
  return typeof value === 'object' && value !== null ? (value as StateValue) : {};
};

const timeOf = (value: StateValue): string | null => {
  const ms = watermarkOf(value) ?? Date.parse(String(value['updated_at']));
  return Number.isNaN(ms) ? null : new Date(ms).toISOString();
};

const entryOf = (rest: string, text: string): StateEntry => {
  const [action = '', ...source] = rest.split('.');
  const name = source.join('.') || wholeAction;
  return {
    action,
    source: name,
    bytes: Buffer.byteLength(text),
    as_of: timeOf(objectOf(text)),
    lease: name === leaseSource,
  };
};

/** The stored state of the actions of an integration, by key. @throws RelayError `kv_unavailable` */
export const stateEntries = async (state: KvSpace, integration: string): Promise<readonly StateEntry[]> => {
  const prefix = prefixOf(integration);
  const found = await state.list(prefix);
  return found.map(({ key, value }) => entryOf(key.slice(prefix.length), value));
};

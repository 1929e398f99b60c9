import { readSettings, type ReadSettings } from '@ranger-relay/device';

/** What the platform knows about an integration. */
export interface Integration {
  readonly id: string;
  readonly enabled: boolean;
  /** Data of its webhook configuration, as the portal stores it. */
  readonly settings: unknown;
}

/**
 * Answers an integration from memory in the steady state; null for one that the platform does not know.
 * @throws RelayError `platform_unavailable` when neither the platform nor any cache has it
 */
export type LoadIntegration = (id: string) => Promise<Integration | null>;

/** Reads webhook settings, each object once. */
export const createSettingsReader = (): ((raw: unknown) => ReadSettings) => {
  const known = new WeakMap<object, ReadSettings>();
  return (raw) => {
    if (typeof raw !== 'object' || raw === null) return readSettings(raw);
    const cached = known.get(raw);
    if (cached) return cached;
    const read = readSettings(raw);
    known.set(raw, read);
    return read;
  };
};

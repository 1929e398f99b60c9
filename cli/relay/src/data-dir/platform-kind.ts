import { join } from 'node:path';
import { RelayError } from '@ranger-relay/errors';
import { statOf } from './files.ts';
import type { Marker, PlatformKind } from './marker.ts';
import type { DataDir } from './open.ts';

/** File of the simulated platform: it is in every directory on which simulators ran. */
export const simulatedPlatformFile = 'simulated-platform.jsonl';

const wrongKind: Readonly<Record<PlatformKind, string>> = {
  real: 'it belongs to a real platform, and no PLATFORM_ variable is set: set them as before, or choose another DATA_DIR to try the simulators',
  simulated:
    'it belongs to the simulated platform, but PLATFORM_ variables are set: choose another DATA_DIR for the real platform, or unset them to continue with the simulators',
};

/** Refuses a directory that was made for the other kind of platform. @throws RelayError `data_dir_unusable` */
export const refuseOtherKind = (path: string, { platform }: Pick<Marker, 'platform'>, wanted: PlatformKind): void => {
  if (platform === null || platform === wanted) return;
  throw new RelayError('data_dir_unusable', { details: { path, problem: wrongKind[platform] } });
};

/** Takes an unused directory for one kind of platform, and refuses one of the other. @throws RelayError `data_dir_unusable` */
export const claimDirectory = async (dir: DataDir, wanted: PlatformKind): Promise<void> => {
  const marker = dir.marker();
  refuseOtherKind(dir.path, marker, wanted);
  const isUsed = marker.bus_since !== null || marker.kv_since !== null;
  if (marker.platform === null && !isUsed) await dir.record({ platform: wanted });
};

/** What tells whose events bus and store hold. */
export interface StoredEvents {
  /** Integrations that bus and store know. */
  readonly integrations: () => Promise<Iterable<string>>;
  /** Those that the simulated platform of the directory has. */
  readonly simulated: readonly string[];
  /** Bus or store lie elsewhere, where others may have written. */
  readonly shared: boolean;
}

/**
 * Makes sure that the stores hold events of the wanted kind of platform alone: simulators refuse what they do not know. A directory of an
 * earlier release does not say what it is for; its files and the integrations that were met tell it.
 * @throws RelayError `data_dir_unusable`
 */
export const checkStoredEvents = async (
  dir: DataDir,
  wanted: PlatformKind,
  { integrations, simulated, shared }: StoredEvents,
): Promise<void> => {
  const unmarked = dir.marker().platform === null;
  if (!unmarked && !(shared && wanted === 'simulated')) return;
  const simulatedAlone = [...(await integrations())].every((id) => simulated.includes(id));
  if (unmarked) {
    const simulators = await statOf(join(dir.path, simulatedPlatformFile));
    const platform = simulators && simulatedAlone ? 'simulated' : 'real';
    refuseOtherKind(dir.path, { platform }, wanted);
    await dir.record({ platform });
  }
  if (wanted === 'simulated' && !simulatedAlone) {
    const problem =
      'bus and store hold events of a real platform, and no PLATFORM_ variable is set: set them as before';
    throw new RelayError('data_dir_unusable', { details: { path: dir.path, problem } });
  }
};

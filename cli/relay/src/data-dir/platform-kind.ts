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

/** Refuses a directory of the other kind of platform. @throws RelayError `data_dir_unusable` */
export const refuseOtherKind = (path: string, { platform }: Pick<Marker, 'platform'>, wanted: PlatformKind): void => {
  if (platform === null || platform === wanted) return;
  throw new RelayError('data_dir_unusable', { details: { path, problem: wrongKind[platform] } });
};

/**
 * Stores the marker of the directory, bound to one kind of platform if it is unused; refuses a directory of the other kind.
 * @throws RelayError `data_dir_unusable`
 */
export const claimDirectory = async (dir: DataDir, wanted: PlatformKind): Promise<void> => {
  const marker = dir.marker();
  refuseOtherKind(dir.path, marker, wanted);
  const isUsed = marker.bus_since !== null || marker.kv_since !== null;
  if (marker.platform === null) await dir.record(isUsed ? {} : { platform: wanted });
};

/** Evidence of the platform whose events bus and store hold. */
export interface StoredEvents {
  /** Integrations that occur in bus and store. */
  readonly integrations: () => Promise<Iterable<string>>;
  /** Integrations of the simulated platform of the directory. */
  readonly simulated: readonly string[];
  /** Bus or store are outside of the directory, where other processes may have written. */
  readonly shared: boolean;
}

/**
 * Verifies that the stores hold only events of the wanted kind of platform: simulators refuse unknown integrations. In a directory whose
 * marker was lost, its files and the known integrations show the kind.
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

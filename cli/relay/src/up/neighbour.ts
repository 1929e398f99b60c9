import { resolve } from 'node:path';
import { isRelayError, RelayError, toRelayError } from '@ranger-relay/errors';
import { type EnvProblem, type ListenOptions, parseEnv } from '@ranger-relay/runtime';
import { readMarker } from '../data-dir/index.ts';
import { fetchStatus } from '../status/ask.ts';
import { upEnv } from './config.ts';
import { fullVolume } from './volume.ts';

/** The `up` whose status page answers at a port of this machine; undefined when none does. */
const upAt = async (port: number) => {
  const found = await fetchStatus(`http://127.0.0.1:${port}/status.json`).catch(() => undefined);
  return found?.up;
};

/** Port of an address; 0 without one. */
export const portOf = (address: string | null): number => (address === null ? 0 : Number(new URL(address).port));

/** Ports that another `up` has are one problem: that it runs. */
export const foldNeighbour = async (
  wanted: readonly ListenOptions[],
  problems: readonly EnvProblem[],
): Promise<readonly EnvProblem[]> => {
  const port = wanted.find(({ portVariable }) => portVariable === 'STATUS_PORT')?.port ?? 0;
  const other = problems.some(({ variable }) => variable === 'STATUS_PORT') ? await upAt(port) : undefined;
  if (!other) return problems;
  const owner = (await readMarker(other.data_dir))?.owner;
  const ports = new Set(owner?.id === other.id ? Object.values(owner.addresses ?? {}).map(portOf) : []).add(port);
  const itsOwn = new Set(wanted.filter((each) => ports.has(each.port)).map(({ portVariable }) => portVariable));
  const folded = problems.map(({ variable }) => variable).filter((variable) => itsOwn.has(variable));
  const who = `DATA_DIR ${other.data_dir}${owner?.id === other.id ? `, pid ${owner.pid}` : ''}`;
  const problem = `is ${port}, where another ranger-relay runs (${who}): stop it, or give this one other ports (${folded.join(', ')})`;
  return [{ variable: 'STATUS_PORT', problem }, ...problems.filter(({ variable }) => !itsOwn.has(variable))];
};

/** Why no `up` of a directory can be asked, and what helps: another one that runs here, or what would stop a start. */
export const whyNone = async (thrown: unknown, dataDir: string, env: NodeJS.ProcessEnv): Promise<RelayError> => {
  if (!isRelayError(thrown, 'up_not_running')) return toRelayError(thrown);
  const path = resolve(dataDir);
  const [other, free] = await Promise.all([
    upAt(parseEnv({ STATUS_PORT: upEnv.STATUS_PORT }, env).STATUS_PORT),
    fullVolume(path),
  ]);
  const facts = [
    String(thrown.details['problem']),
    ...(free === undefined ? [] : [`its volume is full (${free} MiB are free), so free space before you start it`]),
    ...(other && other.data_dir !== path ? [`another one runs here: set DATA_DIR=${other.data_dir} to ask it`] : []),
  ];
  return new RelayError('up_not_running', { details: { path, problem: facts.join('; ') }, cause: thrown });
};

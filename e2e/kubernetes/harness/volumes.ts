import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { V1PersistentVolume, V1PersistentVolumeClaim } from '@kubernetes/client-node';
import type { KubeObject } from './wire.ts';
import type { Kubectl } from './kubectl.ts';

type Volume = KubeObject<V1PersistentVolume>;

const pathOf = ({ spec }: Volume): string => spec?.hostPath?.path ?? '';

/** A claim's volume, as this machine sees its folder. */
export const folderOf = async (kubectl: Kubectl, claim: string): Promise<string> => {
  const { spec } = await kubectl.get<KubeObject<V1PersistentVolumeClaim>>('persistentvolumeclaim', claim);
  return pathOf(await kubectl.get<Volume>('persistentvolume', spec?.volumeName ?? ''));
};

/** Removes everything in a folder. */
export const empty = (folder: string): void => {
  for (const name of readdirSync(folder)) rmSync(join(folder, name), { recursive: true, force: true });
};

/** Volumes of a namespace that is gone are given back empty: there is no provisioner that would do it. */
export const releaseVolume = async (kubectl: Kubectl): Promise<void> => {
  const { items } = await kubectl.get<{ items: Volume[] }>('persistentvolumes');
  for (const volume of items) {
    if (volume.spec?.claimRef?.namespace !== kubectl.namespace) continue;
    empty(pathOf(volume));
    await kubectl.must('patch', 'persistentvolume', volume.metadata.name, '--patch', '{"spec":{"claimRef":null}}');
  }
};

/** Fills a claim's volume from a folder. */
export const fillVolume = async (kubectl: Kubectl, claim: string, name: string, from: string): Promise<void> => {
  const to = join(await folderOf(kubectl, claim), name);
  mkdirSync(to);
  for (const file of readdirSync(from)) writeFileSync(join(to, file), readFileSync(join(from, file)));
};

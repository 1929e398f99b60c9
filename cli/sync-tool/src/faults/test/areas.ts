import { join } from 'node:path';
import type { ExecutionContext } from 'ava';
import type { SampleRecord } from '../../bundle/sample/write-bundle.ts';
import { dashed, id, named, writeTestBundle, type TestBundle } from '../../test/bundle.ts';
import { openHarness, type Call, type Harness } from '../../test/harness.ts';

export const north = { uuid: id('aa'), id: '051', name: 'North' };
export const south = { uuid: id('bb'), id: '052', name: 'South' };

export const zone = (type: 'NUMERIC' | 'TEXT', isActive = true): SampleRecord => ({
  uuid: id('e1'),
  key: 'zone',
  type,
  ...named('Zone', isActive),
});

export interface Areas extends Harness {
  /** Runs the sync of an area with a bundle, with records in the folder that both areas share. */
  of(area: typeof north, bundle?: TestBundle, ...more: string[]): Promise<Call>;
  /** Folder of the newest bundle of an area. */
  bundleOf(area: typeof north): string;
  /** Undoes the newest run of an area. */
  undoOf(area: typeof north): Promise<Call>;
  subject(pair: string): ReturnType<Harness['site']['state']>['subjects'][number];
  choice(value: string): ReturnType<Harness['site']['state']>['choices'][number] | undefined;
}

/** Two areas of one site. */
export const areas = async (t: ExecutionContext): Promise<Areas> => {
  const here = await openHarness(t, (folder) => writeTestBundle(folder));
  const bundles = new Map<string, string>();
  const of: Areas['of'] = async (area, bundle = {}, ...more) => {
    const folder = join(here.folder, `${area.id}-${Math.random()}`);
    bundles.set(area.id, folder);
    await writeTestBundle(folder, { ...bundle, area });
    return here.run('patrol-datamodel', '--bundle', folder, ...here.onSite, ...more);
  };
  const recordOf = (area: typeof north): string =>
    here
      .records()
      .toSorted()
      .toReversed()
      .find((name) => here.read(name).includes(`"id": "${area.id}"`)) ?? '';
  return {
    ...here,
    of,
    bundleOf: ({ id: code }) => bundles.get(code) ?? '',
    undoOf: (area) => here.run('undo', join(here.folder, recordOf(area)), ...here.onSite),
    subject(pair) {
      const found = here.site.state().subjects.find(({ additional }) => additional['ext_member_id'] === dashed(pair));
      if (!found) throw new Error(`the site has no subject of ${pair}`);
      return found;
    },
    choice: (value) => here.site.state().choices.find((each) => each.value === value),
  };
};

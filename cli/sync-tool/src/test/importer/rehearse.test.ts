import test, { type ExecutionContext } from 'ava';
import type { SiteSimulator } from '@ranger-relay/simulators';
import { smallCounts } from '../../properties/test/case.ts';
import { type Harness, openSampleHarness, seedTeamAndEventType } from '../harness.ts';
import { prepareAsImporter } from './prepare.ts';
import { rehearseImport } from './rehearse.ts';

/** A site with what neither tool can make: the teams and the types of events. */
const harness = async (t: ExecutionContext, word: string): Promise<Harness> => {
  const here = await openSampleHarness(t, { format: 'exported' });
  seedTeamAndEventType(here.site, word);
  return here;
};

const isActive = (site: SiteSimulator) => site.state().subjects.map(({ id, is_active }) => [id, is_active]);

/** Each way to prepare a site. */
const preparations = {
  importer: async ({ site, bundle, folder }: Harness, word: string) =>
    void (await prepareAsImporter(site, bundle, word, folder)),
  'our run': async ({ sync }: Harness, word: string) => {
    const { code, err } = await sync('--ext-word', word);
    if (code !== 0) throw new Error(err);
  },
} as const;

for (const [name, prepare] of Object.entries(preparations))
  test(`after ${name}, the next commands of the importer find all they look for and import every patrol`, async (t) => {
    const here = await harness(t, 'word');
    const { bundle, site } = here;
    await prepare(here, 'word');
    const before = isActive(site);
    const { patrols, waypointsPerLeg } = smallCounts;
    const events = patrols * waypointsPerLeg;
    t.deepEqual(await rehearseImport(site, bundle, 'word'), { missing: [], refused: [], patrols, events });
    t.deepEqual(isActive(site), before);
    t.is(site.state().patrols.length, patrols);
    t.deepEqual(await rehearseImport(site, bundle, 'word'), { missing: [], refused: [], patrols, events: 0 });
  });

test('the next commands of the importer find nothing under another word, and import no patrol', async (t) => {
  const { folder, bundle, site } = await harness(t, 'word');
  await prepareAsImporter(site, bundle, 'other', folder);
  const { missing, refused, patrols } = await rehearseImport(site, bundle, 'word');
  t.true(missing.some((text) => text.startsWith('subject ')));
  t.true(missing.some((text) => text.startsWith('field word_')));
  t.deepEqual([refused, patrols], [[], 0]);
});

test('the next commands of the importer name what was taken away between', async (t) => {
  const { folder, bundle, site } = await harness(t, 'ext');
  await prepareAsImporter(site, bundle, 'ext', folder);
  for (const { id } of site.state().types) site.edit('types', id, { is_active: false });
  site.seed({ teams: [], newEventTypes: [], choices: [] });
  const { missing } = await rehearseImport(site, bundle, 'ext');
  const kinds = new Set(missing.map((text) => /^(?:event type|\w+)/.exec(text)?.[0]));
  t.deepEqual([...kinds].sort(), ['option', 'team', 'type']);
});

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { freshSite, type SiteSimulator } from '@ranger-relay/simulators';
import { writeSampleBundle } from '../../bundle/index.ts';
import { smallCounts } from '../../properties/case.ts';
import { runTool } from '../harness.ts';
import { testShell } from '../shell.ts';
import { prepareAsImporter } from './prepare.ts';
import { rehearseImport } from './rehearse.ts';

/** A site with what neither tool can make: the teams and the types of events. */
const harness = async (t: ExecutionContext, word: string) => {
  const folder = mkdtempSync(join(tmpdir(), 'importer-'));
  const site = await freshSite();
  t.teardown(async () => {
    await site.close();
    rmSync(folder, { recursive: true, force: true });
  });
  const bundle = join(folder, 'export');
  await writeSampleBundle(bundle, { format: 'exported', counts: smallCounts });
  const type = { id: 'e', value: `${word}-ca-import_wildlife_sighting`, display: 'Seen', category: 'wild' };
  site.seed({ teams: [{ value: 'team_0', display: 'Team 0' }], newEventTypes: [type] });
  return { folder, bundle, site };
};

const isActive = (site: SiteSimulator) => site.state().subjects.map(({ id, is_active }) => [id, is_active]);

/** Each way to prepare a site. */
const preparations = {
  importer: async (site: SiteSimulator, bundle: string, folder: string, word: string) =>
    void (await prepareAsImporter(site, bundle, word, folder)),
  'our run': async (site: SiteSimulator, bundle: string, _folder: string, word: string) => {
    const on = ['--bundle', bundle, '--site-endpoint', site.url, '--site-token', site.token, '--ext-word', word];
    const { code, err } = await runTool(testShell(), ['patrol-datamodel', ...on]);
    if (code !== 0) throw new Error(err);
  },
} as const;

for (const [name, prepare] of Object.entries(preparations))
  test(`after ${name}, the next commands of the importer find all they look for and import every patrol`, async (t) => {
    const { folder, bundle, site } = await harness(t, 'word');
    await prepare(site, bundle, folder, 'word');
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

import test from 'ava';
import { siteSwitchValues } from '@ranger-relay/simulators';
import { openSampleHarness } from './test/harness.ts';
import { prepareAsImporter } from './test/importer/prepare.ts';

const all = Object.entries(siteSwitchValues).flatMap(([name, values]) => values.map((value) => [name, value] as const));

for (const format of ['own', 'exported'] as const)
  test(`where a first run ends with 0, a second one writes nothing, however the site answers: ${format}`, async (t) => {
    let ended = 0;
    for (const [name, value] of all) {
      const here = await openSampleHarness(t, { format }, { switches: { [name]: value } });
      if ((await here.sync()).code !== 0) continue;
      ended += 1;
      here.writes();
      const { code, err } = await here.sync();
      t.is(code, 0, `${name} ${value}: ${err}`);
      t.deepEqual(here.writes(), [], `${name} ${value}`);
    }
    t.log(`${ended} of ${all.length} sites`);
    t.true(ended > all.length / 2);
  });

test('a site that the importer prepared gets no write for the same bundle, however it answers', async (t) => {
  let ended = 0;
  for (const [name, value] of all) {
    const here = await openSampleHarness(t, { format: 'exported' });
    await prepareAsImporter(here.site, here.bundle, 'ext', here.folder);
    here.site.set({ [name]: value });
    here.writes();
    if ((await here.sync()).code === 0) ended += 1;
    t.deepEqual(here.writes(), [], `${name} ${value}`);
  }
  t.log(`${ended} of ${all.length} sites`);
  t.true(ended > all.length / 2);
});

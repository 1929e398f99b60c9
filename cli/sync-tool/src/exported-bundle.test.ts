import test, { type ExecutionContext } from 'ava';
import type { FreshSiteOptions } from '@ranger-relay/simulators';
import { type ExportedContent, writeExportedBundle } from './bundle/exported/test/exported-bundle.ts';
import { openHarness, type Harness } from './test/harness.ts';

const harness = (
  t: ExecutionContext,
  content: ExportedContent = {},
  options: FreshSiteOptions = {},
): Promise<Harness> => openHarness(t, (folder) => writeExportedBundle(folder, content), options);

test('a default language that the bundle does not list is an error that names it, unless a language is given', async (t) => {
  const here = await harness(t, { manifest: { default_language: 'de' } });
  const { code, err } = await here.sync();
  t.is(code, 1);
  t.regex(err, /The bundle has no language "de"; choose one of en /);
  t.deepEqual(here.writes(), []);
  t.is((await here.sync('--ext-language', 'EN')).code, 0);
});

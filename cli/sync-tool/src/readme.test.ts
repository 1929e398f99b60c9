import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { openHarness, type Harness } from './test/harness.ts';

const page = readFileSync(new URL('../README.md', import.meta.url), 'utf8');

/** The calls of the code blocks, without what a shell does with their output. */
const calls = [...page.matchAll(/^```(\w*)\n([^]*?)^```$/gm)]
  .flatMap(([, language, block = '']) => (language === '' ? block.trim().split('\n') : []))
  .flatMap((line) => /sync-tool ([^|>)]+)/.exec(line)?.[1]?.trim() ?? [])
  .filter((call) => !call.startsWith('['));

/** A configuration file as the page shows it, for the site of the test. */
const configOf = ({ site, bundle }: Harness): string =>
  (/^```yaml\n([^]*?)^```$/m.exec(page)?.[1] ?? '')
    .replace('path: export', `path: ${bundle}`)
    .replace('site.example', site.url)
    .replace('<API_TOKEN>', site.token)
    .replace('Asia/Manila', 'UTC');

/** The words of a call with the paths and the site of the test. */
const wordsOf = (call: string, { folder, bundle, site, records }: Harness): string[] => {
  const own = new Map([
    ['.', folder],
    ['export', bundle],
    ['http://127.0.0.1:8090', site.url],
    ['site-token', site.token],
  ]);
  const newest = records().toSorted().toReversed();
  return call.split(' ').map((word) => {
    if (/^patrol-datamodel-run-.*\.json$/.test(word)) return join(folder, newest.pop() ?? word);
    return own.get(word) ?? (/^(sync\.yaml|plan\.json)$/.test(word) ? join(folder, word) : word);
  });
};

test('each call of the page is carried out, in its order', async (t) => {
  const here = await openHarness(t, async () => undefined);
  writeFileSync(join(here.folder, 'sync.yaml'), configOf(here));
  t.true(calls.length >= 9);
  for (const call of calls) {
    // The site of the test stands for the one that runs until it is interrupted.
    if (call === 'dev-site') continue;
    if (call.includes('run-2026')) await here.run('patrol-datamodel', '--config', join(here.folder, 'sync.yaml'));
    const { code, out, err } = await here.run(...wordsOf(call, here));
    t.is(code, 0, `${call}\n${out}\n${err}`);
    t.not(out, '', call);
  }
  t.is(here.records().length, 2);
});

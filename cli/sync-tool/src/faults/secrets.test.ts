import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { siteFaults, type FreshSiteOptions } from '@ranger-relay/simulators';
import { writeContractSample } from '../bundle/sample/contract-sample.ts';
import { openFront } from '../test/front.ts';
import { testShell } from '../test/shell.ts';
import { openHarness, runTool, type Call, type Harness } from '../test/harness.ts';

const canary = 'canary-7f3a9c51d2';

const harness = (t: ExecutionContext, options: FreshSiteOptions = {}): Promise<Harness> =>
  openHarness(t, (folder) => writeContractSample(folder), { ...options, token: canary });

/** Everything that lies in a folder and below it, as text; files that hold the token on purpose are named in `but`. */
const filesIn = (folder: string, but: readonly string[]): string[] =>
  readdirSync(folder).flatMap((name) => {
    const path = join(folder, name);
    if (statSync(path).isDirectory()) return filesIn(path, but);
    return but.includes(name) ? [] : [`${name}: ${readFileSync(path, 'utf8')}`];
  });

const clean = (t: ExecutionContext, here: Harness, calls: readonly Call[], but: readonly string[] = []): void => {
  for (const { out, err } of calls) t.false(`${out}\n${err}`.includes(canary), `${out}\n${err}`);
  for (const file of filesIn(here.folder, but)) t.false(file.includes(canary), file);
};

const echo = JSON.stringify({
  value: [`not for ${canary}`],
  status: { code: 400, detail: `Authorization: Bearer ${canary}` },
});

const faults = {
  'no fault': [],
  'a refusal that repeats it': [{ fault: 'status', status: 400, body: echo, method: 'POST' }],
  'a failure that repeats it': [{ fault: 'status', status: 500, body: echo, path: 'choices/' }],
  '401 that repeats it': [{ fault: 'status', status: 401, body: echo }],
  '403 that repeats it': [{ fault: 'status', status: 403, body: echo, method: 'PUT' }],
  'a redirect that carries it': [siteFaults.redirected(`https://x.invalid/?token=${canary}`)],
  'a gateway that repeats it': [{ fault: 'status', status: 502, body: `<p>${canary}</p>`, path: 'subjects/' }],
  'no JSON': [{ fault: 'status', status: 200, body: `<p>${canary}</p>`, path: 'subjects/' }],
  'a broken connection': [{ ...siteFaults.cut('after'), method: 'POST' }],
} as const;

for (const [name, set] of Object.entries(faults))
  for (const output of ['text', 'json'])
    test(`the token is in no output and no file with ${name} (${output})`, async (t) => {
      const here = await harness(t);
      for (const fault of set) here.site.faults.set(fault);
      const calls: Call[] = [];
      const said = (): string[] => [
        '--output',
        output,
        '--summary-file',
        join(here.folder, `end-${calls.length}.json`),
      ];
      calls.push(await here.dry(...said(), '--plan-out', join(here.folder, 'plan.json')));
      calls.push(await here.run('doctor', ...here.onSite, ...said()));
      calls.push(await here.sync(...said()));
      here.site.faults.clear();
      for (const record of here.records()) {
        const path = join(here.folder, record);
        calls.push(await here.run('resume', path, ...here.onSite, ...said()));
        calls.push(await here.run('undo', path, ...here.onSite, ...said(), '--delete-subjects'));
      }
      calls.push(await here.run('verify', '--bundle', here.bundle, ...here.onSite, ...said()));
      t.is(here.files().filter((name) => name.startsWith('end-')).length, calls.length);
      clean(t, here, calls);
    });

test('the token is in no file while a run goes on, and in none that an interruption leaves', async (t) => {
  const here = await harness(t);
  const shell = testShell();
  const front = await openFront(t, here.site, ({ method, path }) => {
    if (method !== 'POST') return;
    clean(t, here, []);
    if (path === 'choices/') shell.interrupt();
  });
  const summary = ['--summary-file', join(here.folder, 'end.json')];
  const args = ['patrol-datamodel', '--bundle', here.bundle, ...here.onSite, '--site-endpoint', front, ...summary];
  const call = await runTool(shell, args);
  t.is(call.code, 130);
  clean(t, here, [call]);
});

test('a token with a line break in it is refused without being repeated, and nothing is sent', async (t) => {
  const here = await harness(t);
  const bad = `${canary}\nX-Other: ${canary}`;
  writeFileSync(join(here.folder, 'token.txt'), bad);
  for (const flags of [
    ['--site-token', bad],
    ['--site-token-file', join(here.folder, 'token.txt')],
  ])
    for (const output of ['text', 'json']) {
      const call = await here.run(
        'patrol-datamodel',
        '--bundle',
        here.bundle,
        '--site-endpoint',
        here.site.url,
        ...flags,
        '--output',
        output,
        '--summary-file',
        join(here.folder, 'end.json'),
      );
      t.true(here.files().includes('end.json'));
      t.is(call.code, 1);
      if (output === 'json') t.is(call.json()['reason'], 'site_token_invalid');
      clean(t, here, [call], ['token.txt']);
    }
  t.deepEqual(here.site.log.entries(), []);
});

for (const [name, text] of [
  ['no YAML', `site:\n  token: ${canary}\n bad: [`],
  ['an unknown tag', `site:\n  token: !secret ${canary}\n  endpoint: x\n`],
  ['a list for the token', `site:\n  token: [${canary}]\n`],
  ['the same key twice', `site:\n  token: ${canary}\n  token: ${canary}\n`],
  ['a token in the place of a key', `site:\n  ${canary}: x\n`],
  ['an alias without an anchor', `site:\n  token: *${canary}\n`],
] as const)
  test(`a configuration file with ${name} is not quoted`, async (t) => {
    const here = await harness(t);
    const warned: string[] = [];
    const listen = (warning: Error): void => void warned.push(String(warning));
    process.on('warning', listen);
    t.teardown(() => process.off('warning', listen));
    const file = join(here.folder, 'sync.yaml');
    writeFileSync(file, text);
    const calls = [
      await here.run(
        'patrol-datamodel',
        '--bundle',
        here.bundle,
        '--config',
        file,
        '--summary-file',
        join(here.folder, 'end.json'),
      ),
      await here.run('patrol-datamodel', '--bundle', here.bundle, '--config', file, '--output', 'json'),
    ];
    await new Promise((resolve) => setImmediate(resolve));
    for (const { code } of calls) t.true(code > 0);
    clean(t, here, calls, ['sync.yaml']);
    t.false(warned.join('\n').includes(canary));
  });

test('an address that holds a password is refused without being repeated', async (t) => {
  const here = await harness(t);
  const address = `https://user:${canary}@site.invalid`;
  const call = await here.sync('--site-endpoint', address, '--summary-file', join(here.folder, 'end.json'));
  t.is(call.code, 1);
  clean(t, here, [call]);
});

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fc, testProp } from '@fast-check/ava';
import test, { type ExecutionContext } from 'ava';
import { createClient } from '../../http/client.ts';
import { newChoice, startSiteHarness } from '../../test/site.ts';
import { scratch } from '../../test/harness.ts';
import { parseExact } from '../../json.ts';
import type { Choice, Group, Subject } from './records.ts';
import type { Change } from './state.ts';
import { openStore } from './store.ts';

const program = `
import { freshSite } from '${new URL('../start.ts', import.meta.url).href}';
const { url } = await freshSite({ seed: 3, token: 'mine', stateFile: process.argv[1] });
process.stdout.write(url + '\\n');
`;

/** Runs the site as a process of its own until the test ends or it is killed. */
const startChild = async (t: ExecutionContext, stateFile: string) => {
  const args = ['--input-type=module', '--eval', program, stateFile];
  const child = spawn(process.execPath, args, { env: {}, stdio: ['ignore', 'pipe', 'inherit'] });
  t.teardown(() => child.kill('SIGKILL'));
  const [url] = (await once(createInterface(child.stdout), 'line')) as [string];
  const client = createClient();
  t.teardown(client.close);
  const headers = { authorization: 'Bearer mine', 'content-type': 'application/json' };
  return {
    send: (method: 'POST' | 'PUT', path: string, body: unknown) =>
      client.send({ method, url: url + path, headers, body: JSON.stringify(body) }),
    state: async () => (await client.send({ method: 'GET', url: `${url}/__control/state` })).body,
    async kill() {
      child.kill('SIGKILL');
      await once(child, 'exit');
    },
  };
};

test('a site killed with -9 comes back with what it acknowledged, and gives new ids', async (t) => {
  const stateFile = join(scratch(t), 'site');
  const before = await startChild(t, stateFile);
  await before.send('PUT', '/__control/state', { switches: { equal_keys: 'by_id' } });
  for (let n = 0; n < 20; n += 1) {
    const reply = await before.send('POST', '/api/v1.0/choices/', newChoice('f', `v${n}`));
    t.is(reply.status, 201);
    await before.send('POST', '/api/v1.0/subjects/', { name: `S${n}`, subject_subtype: 'ranger' });
  }
  const last = await before.state();
  await before.kill();
  const after = await startChild(t, stateFile);
  t.deepEqual(JSON.parse(await after.state()), JSON.parse(last));
  t.is((await after.send('POST', '/api/v1.0/choices/', newChoice('f', 'v7'))).status, 409);
  await after.send('POST', '/api/v1.0/choices/', newChoice('f', 'new'));
  const { choices } = JSON.parse(await after.state()) as { choices: { id: string }[] };
  t.is(new Set(choices.map(({ id }) => id)).size, 21);
});

test('a line torn by a kill is dropped whole', async (t) => {
  const stateFile = join(scratch(t), 'site');
  const { site } = await startSiteHarness(t, { stateFile });
  site.seed({ types: [{ value: 'a' }] });
  const before = site.state();
  appendFileSync(stateFile, '[{"put":"types","record":{"id":"torn","val');
  const again = await startSiteHarness(t, { stateFile });
  t.deepEqual(again.site.state(), before);
});

test('a file decides what a site holds; nothing else stays beside it', async (t) => {
  const dir = scratch(t);
  const stateFile = join(dir, 'site');
  const { site } = await startSiteHarness(t, { stateFile, switches: { patrol_schemas: 'off' } });
  await site.close();
  const again = await startSiteHarness(t, { stateFile, state: { types: [{ value: 'a' }] } });
  t.like(again.site.state(), { types: [], switches: { patrol_schemas: 'off' } });
  t.deepEqual(readdirSync(dir), ['site']);
});

const id = fc.constantFrom('a', 'b', 'c');
const ids = fc.uniqueArray(id);

const change: fc.Arbitrary<Change> = fc.oneof(
  fc.tuple(id, id).map(([key, field]) => ({
    put: 'choices' as const,
    record: { id: key, model: 'm', field, value: key, display: '' } as Choice,
  })),
  id.map((key) => ({ put: 'subjects' as const, record: { id: key, name: key } as Subject })),
  fc.tuple(id, ids).map(([key, subjects]) => ({
    put: 'groups' as const,
    record: { id: key, name: key, parent: null, hidden: false, subjects } as Group,
  })),
  fc
    .tuple(fc.constantFrom('choices', 'subjects', 'groups'), id)
    .map(([remove, key]) => ({ remove, id: key }) as Change),
  fc.constantFrom('choices', 'subjects', 'groups').map((clear) => ({ clear }) as Change),
  fc.tuple(id, ids).map(([join, subjects]) => ({ join, subjects })),
  fc.tuple(id, ids).map(([leave, subjects]) => ({ leave, subjects })),
  fc.jsonValue().map((value) => ({ set: 'form', value: parseExact(JSON.stringify(value)) }) as Change),
);

testProp(
  'whatever is changed, the file opened again holds the same, and the index finds every choice',
  [fc.array(fc.array(change, { minLength: 1, maxLength: 4 }), { maxLength: 12 })],
  (t, steps) => {
    const path = join(scratch(t as ExecutionContext), 'site');
    const store = openStore(() => ({}), path);
    for (const changes of steps) store.apply(...changes);
    const { choices } = store.dump();
    for (const [field, found] of store.choiceIndex.fields)
      t.deepEqual(
        [...found].toSorted(),
        choices
          .filter((c) => c.field === field)
          .map((c) => c.id)
          .toSorted(),
      );
    for (const choice of choices) t.truthy(store.choiceIndex.find(choice));
    store.close();
    const again = openStore(() => ({ types: [] }), path);
    t.deepEqual(again.dump(), store.dump());
    again.close();
  },
  { numRuns: 60 },
);

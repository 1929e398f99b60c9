import { existsSync, readFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import test from 'ava';
import { discoverActions, registrationBody, schedulesOf } from './index.ts';
import { httpHarness } from './test/http-harness.ts';
import { park } from './test/harness.ts';

const page = readFileSync(new URL('../../../docs/add-an-action.md', import.meta.url), 'utf8');
const [code = '', exported = ''] = [...page.matchAll(/```ts\n([\s\S]*?)```/g)].map(([, block]) => block ?? '');
const id = 'watch_event_types';

/** The page's own file, as Node would load it from the service. */
const load = (): Promise<Record<string, unknown>> => {
  const script = stripTypeScriptTypes(code).replaceAll(
    /from '([^'.][^']*)'/g,
    (_, name: string) => `from '${import.meta.resolve(name)}'`,
  );
  return import(`data:text/javascript,${encodeURIComponent(script)}`) as Promise<Record<string, unknown>>;
};

/** The runner with the page's action alone, on a site with so many event types. */
const runner = async (types: { count: number }) => {
  const handlers = await load();
  const tools = {
    openReader: () => ({
      async *pages() {
        yield Array.from({ length: types.count });
      },
    }),
  };
  const harness = httpHarness(handlers, {}, { tools });
  const execute = (more: object = {}) =>
    harness.post('/v1/actions/execute', { integration_id: park, action_id: id, ...more });
  return { ...harness, handlers, execute };
};

test('the page needs one file of at most 25 lines, and one line that exports it', async (t) => {
  t.true(code.trimEnd().split('\n').length <= 25);
  t.is(exported, `export { action_${id} } from './watch-event-types.ts';\n`);
  t.deepEqual(Object.keys(await load()), [`action_${id}`]);
});

test('the page names files that are there', (t) => {
  const root = new URL('../../../', import.meta.url);
  const named = [...page.matchAll(/`([\w./-]+\.ts)`(?!:\n\n```)/g)].map(([, name = '']) => name);
  const folders = ['', 'services/action-runner/src/', 'services/action-runner/src/pull/', 'libs/simulators/src/site/'];
  t.true(named.length > 10);
  t.deepEqual(
    named.filter((name) => !folders.some((folder) => existsSync(new URL(`${folder}${name}`, root)))),
    [],
  );
});

test('its settings are published with their texts and the switch of the schedule', async (t) => {
  const catalogue = discoverActions(await load());
  const [action] = registrationBody({ slug: 'site_connector', catalogue }).actions;
  t.like(action, { type: 'pull', value: id, name: 'Watch event types', is_periodic_action: true });
  t.like(action?.schema, {
    properties: {
      tolerated: { title: 'Tolerated losses', default: 0 },
      run_on_schedule: { default: false },
    },
  });
});

test('it is scheduled as it says, or as the operator says', async (t) => {
  const catalogue = discoverActions(await load());
  const crontabs = (overrides: readonly string[]) =>
    schedulesOf(catalogue, overrides).map(({ actionId, source }) => `${actionId} by ${source}`);
  t.deepEqual(crontabs([]), [`${id} by handler`]);
  const [, override = ''] = /ACTION_SCHEDULES='([^']+)'/.exec(page) ?? [];
  t.deepEqual(crontabs([override]), [`${id} by registration`]);
});

test('it can be executed, remembers what it found, and tells what has gone', async (t) => {
  const types = { count: 3 };
  const { execute, platform, entries, kinds } = await runner(types);
  platform.configs[id] = {};
  t.like(await execute(), { status: 200, json: { found: 3 } });
  t.deepEqual(kinds(), ['Started', 'Complete']);
  types.count = 2;
  t.like(await execute(), { status: 200, json: { found: 2 } });
  const told = entries.find(({ kind }) => kind === 'CustomLog')?.payload;
  t.like(told, { title: 'Event types have gone', level: 30, data: { before: 3, found: 2 } });
  types.count = 1;
  await execute({ config_overrides: { tolerated: 5 } });
  t.is(kinds().filter((kind) => kind === 'CustomLog').length, 1);
});

test('settings that do not fit are refused on request and skipped on a schedule', async (t) => {
  const { execute, platform, entries } = await runner({ count: 3 });
  platform.configs[id] = { tolerated: -1, run_on_schedule: true };
  t.is((await execute()).status, 422);
  t.like(await execute({ triggered_by: 'auto' }), {
    status: 200,
    json: { skipped: true, reason: 'invalid_configuration' },
  });
  t.false(entries.some(({ kind }) => kind === 'Started'));
});

test('on a schedule it runs only where somebody has turned that on', async (t) => {
  const { execute, platform, kinds } = await runner({ count: 3 });
  platform.configs[id] = {};
  t.like(await execute({ triggered_by: 'auto' }), { json: { skipped: true, reason: 'run_on_schedule_disabled' } });
  platform.configs[id] = { run_on_schedule: true };
  t.like(await execute({ triggered_by: 'auto' }), { json: { found: 3 } });
  t.deepEqual(kinds(), ['Started', 'Complete']);
});

import { problem } from '../status/test/harness.ts';
import type { TopicAdmin } from '@ranger-relay/bus/kafka';
import { freshSite, simulatorClock, startVendorInbound } from '@ranger-relay/simulators';
import { stateKey } from '@ranger-relay/actions';
import { topics } from '@ranger-relay/contracts';
import { systemClock, systemRandom } from '@ranger-relay/runtime';
import test, { type ExecutionContext } from 'ava';
import { openDataDir } from '../data-dir/index.ts';
import { temporaryFolder } from '../data-dir/test/folder.ts';
import { gone, well } from '../topics/test/harness.ts';
import { device, site, harness, type HarnessOptions } from './test/harness.ts';

const secret = 'the-secret-of-the-account';

const vendor = async (t: ExecutionContext) => {
  const made = await startVendorInbound({
    host: '127.0.0.1',
    port: 0,
    clock: simulatorClock,
    username: 'hut',
    password: secret,
    devices: ['300434030000001'],
  });
  t.teardown(() => made.close());
  return made;
};

const deviceWith = (auth: unknown): Required<HarnessOptions>['integrations'] => [
  { id: device, name: 'Devices', type: 'device_connector', configurations: { auth, push_messages: {} } },
];

const siteWith = (baseUrl: string, auth: unknown): Required<HarnessOptions>['integrations'] => [
  { id: site, name: 'Park', type: 'site_connector', base_url: baseUrl, configurations: { auth } },
];

const startSite = async (t: ExecutionContext) => {
  const made = await freshSite();
  t.teardown(() => made.close());
  return made;
};

test('when all is well each check says so on a line and the end is 0', async (t) => {
  const account = await vendor(t);
  const park = await startSite(t);
  const { run, platform } = await harness(t, {
    integrations: [
      ...deviceWith({ api_url: account.url, username: 'hut', password: secret }),
      ...siteWith(park.url, { authentication_type: 'token', token: park.token }),
    ],
  });
  const { code, out } = await run();
  t.is(code, 0, out);
  t.regex(out, /^ok +up +Everything works, nothing waits/m);
  t.regex(out, /^ok +bus +the file of this machine takes and returns records; 0 events/m);
  t.notRegex(out, /key-value store/, 'the process that has the file open writes it all the time');
  t.regex(out, /^ok +platform token +given$/m);
  t.regex(out, /^ok +vendor account of Devices +complete/m);
  t.regex(out, /^ok +site account of Park +127\.0\.0\.1:\d+ accepts the credentials$/m);
  t.regex(out, /^\w+ +clock +/m);
  t.regex(out, /^ok +network rules +\d addresses may be called$/m);
  for (const word of [secret, park.token, platform.client.secret]) t.false(out.includes(word));
  t.deepEqual(account.calls(), {});
});

test('an SOS counts among the events on the bus, and by itself', async (t) => {
  const { found, bus } = await harness(t, null);
  await bus.publish(topics.sourceEvents.name, [{ key: 'a:1', value: '{}' }]);
  await bus.publish(topics.emergencies.name, [{ key: 'a:1', value: '{}' }]);
  t.regex((await found()).of('bus')[0]?.detail ?? '', /; 2 events on the way to the platform, 1 SOS among them$/);
});

test('without a platform what needs one is skipped, and the rest is looked at', async (t) => {
  const { found } = await harness(t, null);
  const { ok, of } = await found();
  t.true(ok);
  t.like(of('platform token')[0], { status: 'skipped' });
  t.like(of('up')[0], { status: 'ok' });
  t.like(of('network rules')[0], { status: 'skipped' });
});

test('refused client credentials fail once, with the remedy; what needs the token is skipped', async (t) => {
  const { found, run } = await harness(t, { env: { PLATFORM_CLIENT_SECRET: 'wrong-word' } });
  const { ok, of } = await found();
  t.false(ok);
  t.like(of('platform token')[0], { status: 'failed' });
  t.regex(of('platform token')[0]?.remedy ?? '', /PLATFORM_CLIENT_SECRET/);
  t.like(of('type site_connector')[0], { status: 'skipped' });
  t.like(of('vendor account')[0], { status: 'skipped' });
  const { code, out } = await run();
  t.is(code, 1);
  t.false(out.includes('wrong-word'));
});

for (const [variable, check, path] of [
  ['PLATFORM_TOKEN_URL', 'platform token', '/no/token'],
  ['PLATFORM_API_BASE_URL', 'type site_connector', '/no/api'],
] as const)
  test(`a wrong path in ${variable} fails by the name of the variable`, async (t) => {
    const { shell, found } = await harness(t);
    shell.env[variable] = `${new URL(shell.env[variable] ?? '').origin}${path}`;
    const [finding] = (await found()).of(check);
    t.is(finding?.status, 'failed');
    t.true(finding?.remedy?.startsWith(`Compare ${variable} with`), finding?.remedy);
  });

test('without AUTH_TOKEN the accounts of the services with actions are not asked', async (t) => {
  const { of } = await (await harness(t, { integrations: deviceWith({}), env: { AUTH_TOKEN: '' } })).found();
  t.like(of('vendor account')[0], { status: 'skipped' });
  t.regex(of('site account')[0]?.detail ?? '', /AUTH_TOKEN is not set/);
});

for (const days of [0, 2])
  test(`no config event in a bus that is ${days} days old counts only after two`, async (t) => {
    const clock = { ...systemClock, now: () => systemClock.now() - days * 86_400_000 };
    const dir = await openDataDir(await temporaryFolder(t), { clock, random: systemRandom });
    await dir.record({ bus_since: new Date(clock.now()).toISOString() });
    await dir.release();
    const { found } = await harness(t, { integrations: deviceWith({}), env: { DATA_DIR: dir.path } });
    t.like((await found()).of('config events')[0], { status: days < 2 ? 'skipped' : 'warning' });
  });

test('a type that nobody has, or that is registered with fewer actions, is a warning', async (t) => {
  const { found, platform } = await harness(t, { integrations: deviceWith({}) });
  platform.types.register({ value: 'device_connector', actions: [{ type: 'auth', value: 'auth' }] });
  const { of } = await found();
  t.like(of('type site_connector')[0], { status: 'warning' });
  t.regex(of('type site_connector')[0]?.detail ?? '', /no enabled integration/);
  t.regex(of('type site_connector')[0]?.remedy ?? '', /`ranger-relay register --service action-runner`/);
  t.like(of('type device_connector')[0], {
    status: 'warning',
    detail: '1 enabled integration, but the registered type lacks push_messages',
    remedy: 'Register it again with `ranger-relay register --service message-pusher`.',
  });
});

test('a vendor account that is not complete fails by its field', async (t) => {
  const { found } = await harness(t, { integrations: deviceWith({ api_url: 'x.example', username: 'hut' }) });
  t.like((await found()).of('vendor account of Devices')[0], { status: 'failed', detail: 'password is missing' });
});

test('an address of the vendor that cannot be used fails', async (t) => {
  const auth = { api_url: 'ftp://x.example', username: 'hut', password: secret };
  const { found } = await harness(t, { integrations: deviceWith(auth) });
  t.regex((await found()).of('vendor account of Devices')[0]?.detail ?? '', /neither https nor http/);
});

test('the vendor is asked only with --ping, and what it says counts', async (t) => {
  const account = await vendor(t);
  const { found, platform } = await harness(t, {
    integrations: deviceWith({ api_url: account.url, username: 'hut', password: secret }),
  });
  t.like((await found('--ping')).of('vendor account of Devices')[0], { status: 'ok' });
  t.deepEqual(account.calls(), { 'pingback 200': 1 });
  platform.integrations.put({
    id: device,
    configurations: { auth: { api_url: account.url, username: 'hut', password: 'other' } },
  });
  const { ok, of } = await found('--ping');
  t.false(ok);
  t.like(of('vendor account of Devices')[0], { status: 'failed' });
});

test('credentials that the site does not take fail without being shown', async (t) => {
  const park = await startSite(t);
  const { run } = await harness(t, { integrations: siteWith(park.url, { token: 'a-wrong-token' }) });
  const { code, out } = await run();
  t.is(code, 1);
  t.regex(out, /^failed +site account of Park/m);
  t.false(out.includes('a-wrong-token'));
});

test('one site that is not set up keeps no other from being asked', async (t) => {
  const park = await startSite(t);
  const { found } = await harness(t, {
    integrations: [
      ...siteWith(park.url, { token: park.token }),
      { id: device, name: 'Empty', type: 'site_connector', base_url: park.url, configurations: {} },
    ],
  });
  const { of } = await found();
  t.like(of('site account of Park')[0], { status: 'ok' });
  t.like(of('site account of Empty')[0], { status: 'failed' });
});

const rules: readonly (readonly [string, string, readonly string[], RegExp])[] = [
  [
    'a private address',
    'https://site.example',
    ['10.1.2.3'],
    /Park: site\.example resolves to the private address 10\.1\.2\.3/,
  ],
  ['plain http', 'http://site.example', ['8.8.8.8'], /Park: site\.example is called by plain http/],
  ['a name without an address', 'https://site.example', [], /Park: site\.example cannot be resolved/],
];
for (const [what, url, addresses, detail] of rules)
  test(`${what} breaks the network rules, with the remedy`, async (t) => {
    const { found } = await harness(t, {
      integrations: siteWith(url, {}),
      resolve: async () => {
        if (addresses.length === 0) throw new Error('ENOTFOUND');
        return addresses.map((address) => ({ address, family: 4 }));
      },
    });
    const [finding] = (await found()).of('network rules');
    t.is(finding?.status, 'failed');
    t.regex(finding?.detail ?? '', detail);
    t.truthy(finding?.remedy);
  });

const resolveAll = async (name: string) => {
  if (name === 'only-the-proxy-knows.example') throw new Error('ENOTFOUND');
  return [{ address: name === 'proxy.example' ? '10.1.2.3' : '8.8.8.8', family: 4 }];
};

test('a proxy is told and judged, and a name that only it knows is left to it', async (t) => {
  const judged = async (env: Readonly<Record<string, string>>) => {
    const integrations = siteWith('https://only-the-proxy-knows.example', {});
    return (await (await harness(t, { integrations, resolve: resolveAll, env })).found()).of('network rules')[0];
  };
  const HTTPS_PROXY = 'http://user:c4n4ry@proxy.example:3128';
  const refused = await judged({ HTTPS_PROXY });
  t.is(refused?.status, 'failed');
  t.regex(refused?.detail ?? '', /HTTPS_PROXY: proxy\.example:3128 resolves to the private address 10\.1\.2\.3/);
  const allowed = await judged({ HTTPS_PROXY, HTTP_ALLOWED_NETWORKS: '127.0.0.0/8,10.0.0.0/8' });
  t.is(allowed?.status, 'ok', allowed?.detail);
  t.regex(allowed?.detail ?? '', /may be called, HTTPS_PROXY by proxy\.example:3128$/);
  t.notRegex(JSON.stringify([refused, allowed]), /c4n4ry/);
});

const topicAdminOf = (parts: Partial<TopicAdmin>): TopicAdmin => ({
  check: async () => [well('source-events')],
  create: async () => [],
  update: async () => [],
  brokers: async () => ({ offsetsRetentionMs: 7 * 86_400_000, keepsOffsets: true }),
  close: async () => undefined,
  ...parts,
});

test('on a cluster every topic that is not as it should be fails by name', async (t) => {
  let closed = 0;
  const admin = topicAdminOf({
    check: async () => [well('source-events'), gone('dead-letters')],
    close: async () => void (closed += 1),
  });
  const { found } = await harness(t, { admin });
  const { ok, of } = await found();
  t.false(ok);
  t.deepEqual(
    of('bus')
      .filter(({ status }) => status === 'failed')
      .map(({ detail }) => detail),
    ['dead-letters does not exist'],
  );
  t.is(closed, 1);
});

test('topics with one copy of each record fail together, with the way to more', async (t) => {
  const single = { replicas: 1, minInsync: 1 };
  const admin = topicAdminOf({ check: async () => [well('a', single), well('b'), well('c', single)] });
  const { found } = await harness(t, { admin });
  const { ok, of } = await found();
  t.false(ok);
  const [copies, ...rest] = of('bus').filter(({ status }) => status === 'failed');
  t.regex(copies?.detail ?? '', /^2 topics with one copy of each record \(a, c\)/);
  t.regex(copies?.remedy ?? '', /--replication 3/);
  t.deepEqual(rest, []);
});

test('single copies that were asked for are a warning', async (t) => {
  const admin = topicAdminOf({ check: async () => [well('a', { replicas: 1, minInsync: 1 })] });
  const { found } = await harness(t, { admin });
  const { of } = await found('--allow-single-copies');
  const copies = of('bus').find(({ detail }) => /one copy of each record/.test(detail));
  t.is(copies?.status, 'warning');
});

for (const [what, facts, status, detail] of [
  ['a broker that takes the time is well', { offsetsRetentionMs: 3_600_000, keepsOffsets: true }, 'ok', /for years/],
  [
    'a broker that keeps them long enough is well',
    { offsetsRetentionMs: 31 * 86_400_000, keepsOffsets: false },
    'ok',
    /31 d/,
  ],
  [
    'a broker that forgets them sooner fails',
    { offsetsRetentionMs: 7 * 86_400_000, keepsOffsets: false },
    'failed',
    /7 d/,
  ],
  [
    'a broker that does not tell is skipped',
    { offsetsRetentionMs: null, keepsOffsets: false },
    'skipped',
    /do not report/,
  ],
] as const)
  test(`offsets must outlive the records: ${what}`, async (t) => {
    const { found } = await harness(t, { admin: topicAdminOf({ brokers: async () => facts }) });
    const last = (await found()).of('bus').at(-1);
    t.is(last?.status, status);
    t.regex(last?.detail ?? '', detail);
  });

test('a configuration that is wrong is told by its variable', async (t) => {
  const { run } = await harness(t, { env: { PLATFORM_TOKEN_URL: '' } });
  const { code, err } = await run();
  t.is(code, 1);
  t.regex(err, /PLATFORM_TOKEN_URL is not set/);
});

test('where nothing runs the doctor fails with what to do', async (t) => {
  const { found, run } = await harness(t, { running: null });
  t.like((await found()).of('up')[0], { status: 'failed', detail: 'nothing runs on DATA_DIR' });
  const { code, out } = await run();
  t.is(code, 1);
  t.regex(out, /^failed +up +nothing runs on DATA_DIR\. Start it with `ranger-relay up`\.$/m);
});

test('what the running process says of itself counts: what is critical fails, a warning does not', async (t) => {
  const problems = [
    problem('critical', 'The platform accepted none of 7 calls in the last minute'),
    problem('warning', '3 dead letters wait for a decision'),
  ];
  const critical = await harness(t, { running: { verdict: { level: 'critical', text: '', problems } } });
  const { ok, of } = await critical.found();
  t.false(ok);
  t.deepEqual(
    of('up').map(({ status }) => status),
    ['failed', 'warning'],
  );
  const few = { level: 'warning', text: '', problems: problems.slice(1) } as const;
  const warned = await harness(t, { running: { verdict: few } });
  t.true((await warned.found()).ok);
  const unseen = await harness(t, { running: { verdict: null } });
  t.is((await unseen.found()).of('up')[0]?.status, 'warning');
  const hung = await harness(t, { running: { verdict: null, isHung: true } });
  t.is((await hung.found()).of('up')[0]?.status, 'failed');
});

test('one integration that the platform does not show fails once, by itself, and nobody blames the client secret', async (t) => {
  const park = await startSite(t);
  const { run, platform } = await harness(t, {
    integrations: [
      ...siteWith(park.url, { authentication_type: 'token', token: park.token }),
      { id: device, name: 'Hidden', type: 'device_connector', configurations: { auth: {} } },
    ],
  });
  platform.switches.set({ fault: 'status', status: 403, endpoint: 'integration', integration: device });
  const { code, out } = await run();
  t.is(code, 1);
  const failures = out.split('\n').filter((line) => line.startsWith('failed'));
  t.is(failures.length, 1, out);
  t.regex(failures[0] ?? '', /vendor account of Hidden +The platform denies this to our client/);
  t.notRegex(out, /SECRET/);
  t.regex(out, /^ok +site account of Park/m);
  t.regex(out, /^ok +network rules/m);
});

test('a platform that never told of changed settings is a warning, once there are integrations', async (t) => {
  const none = await harness(t);
  t.like((await none.found()).of('config events')[0], { status: 'skipped' });
  const { found, bus } = await harness(t, { integrations: deviceWith({}) });
  t.like((await found()).of('config events')[0], { status: 'warning' });
  await bus.publish(topics.configEvents.name, [{ key: 'a', value: '{}' }]);
  t.like((await found()).of('config events')[0], { status: 'ok' });
});

test('a clock that is wrong by minutes is a warning, by more a failure, with whose it was compared to', async (t) => {
  for (const [ms, status] of [
    [1_000, 'ok'],
    [-120_000, 'warning'],
    [86_400_000, 'failed'],
  ] as const) {
    const { found, shell } = await harness(t);
    shell.clock.jump(ms);
    const [finding] = (await found()).of('clock');
    t.is(finding?.status, status);
    t.regex(finding?.detail ?? '', /127\.0\.0\.1/);
  }
});

test('a watermark of the future is a warning with its integration, how far and what happens next', async (t) => {
  const { found, kv, shell } = await harness(t, { integrations: siteWith('https://site.example', {}) });
  const key = stateKey.of(site, 'pull_events', 'no-source');
  const stateAt = (aheadMs: number, clock = {}) =>
    kv.state.set(
      key,
      JSON.stringify({ last_execution: new Date(shell.clock.now() + aheadMs).toISOString(), ...clock }),
    );
  await stateAt(50_000);
  t.like((await found()).of('watermarks')[0], { status: 'ok' });
  await stateAt(3_600_000, { clock_offset_ms: 3_600_000 });
  t.like((await found()).of('watermarks')[0], { status: 'ok' }, 'the clock of the site is ahead, the watermark is not');
  await stateAt(86_400_000);
  const [finding] = (await found()).of('watermarks');
  t.is(finding?.status, 'warning');
  t.regex(finding?.detail ?? '', /^pull_events of Park has one in the future: 1 d ahead of the site/);
  t.regex(finding?.remedy ?? '', /next run/);
});

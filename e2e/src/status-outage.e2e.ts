import { readdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { installFor } from './harness/installation.ts';
import { run } from './harness/product.ts';
import { envelope, event, post, send, storedNumbers, untilStored } from './harness/traffic.ts';
import { until } from './harness/until.ts';

const park = 'aaaaaaaa-0000-4000-8000-000000000001';
const neighbour = 'bbbbbbbb-0000-4000-8000-000000000002';
const sos = { messageCode: 4, freeText: null };

interface Status {
  readonly verdict: { readonly level: string; readonly text: string; readonly problems: readonly { text: string }[] };
  readonly sos: readonly { readonly source: string; readonly state: string; readonly delivery: string }[];
  readonly integrations: readonly {
    readonly id: string;
    readonly oldest_unsent_seconds: number;
    readonly parked: number;
  }[];
}

const statusOf = async ({ statusUrl }: { statusUrl: string }): Promise<Status> =>
  (await (await fetch(`${statusUrl}/status.json`)).json()) as Status;

test.serial(
  'an SOS that the platform does not take is the first thing that page, status and JSON say, until it is taken',
  async (t) => {
    const here = await installFor(t, [park, neighbour]);
    await here.up({ FORWARD_PARK_AFTER_MS: '2000' });
    await send(here, park, event(1));
    await untilStored(here, park, 1);
    t.is((await run(['status', '--exit-code'], here.env)).code, 0);

    const fault = await here.platform.fault({ endpoint: 'sensors', integration: park, fault: 'status', status: 500 });
    await send(here, park, event(2));
    await send(here, park, event(3, sos));
    const since = Date.now();
    const ages: number[] = [];
    const isTold = async (): Promise<boolean> => {
      await send(here, neighbour, event(100 + ages.length));
      const { verdict, integrations } = await statusOf(here);
      const own = integrations.find(({ id }) => id === park);
      ages.push(own?.oldest_unsent_seconds ?? 0);
      return /^SOS declared of .* waits for the platform, for/.test(verdict.text) && (own?.parked ?? 0) > 0;
    };
    await until('the verdict is the SOS, and the position is parked', isTold, 60_000);
    const inOrder = ages.toSorted((a, b) => a - b);
    t.deepEqual(ages, inOrder, 'the oldest event grew older all the time, over parking too');
    t.true((ages.at(-1) ?? 0) > (Date.now() - since) / 1_000 - 5);
    const { verdict, sos: calls } = await statusOf(here);
    t.is(verdict.level, 'critical');
    t.like(calls, [{ state: 'declared', delivery: 'waiting' }]);
    const told = await run(['status', '--exit-code'], here.env);
    t.is(told.code, 1);
    t.regex(told.stdout, /^CRITICAL +SOS declared of .* waits for the platform/);
    const page = await (await fetch(`${here.statusUrl}/`)).text();
    t.true(page.indexOf('SOS declared') < page.indexOf('id="flow"'));

    await here.platform.repair(fault);
    await until('everything works again', async () => (await statusOf(here)).verdict.level === 'ok', 60_000);
    t.like((await statusOf(here)).sos, [{ state: 'declared', delivery: 'accepted' }]);
    t.is((await run(['status', '--exit-code'], here.env)).code, 0);
  },
);

interface ToldSos {
  readonly state: string;
  readonly open: boolean;
  readonly delivery: string;
  readonly events: readonly { readonly steps: readonly { readonly step: string }[] }[];
}

test.serial(
  "the platform's acceptance of an SOS is told after a kill -9 with an emptied store, with and without `up`",
  async (t) => {
    const here = await installFor(t, [park]);
    const up = await here.up();
    const list = async (): Promise<{ code: number | null; calls: ToldSos[] }> => {
      const { code, stdout } = await run(['sos', '--output', 'json'], here.env);
      return { code, calls: JSON.parse(stdout) as ToldSos[] };
    };
    await send(here, park, event(1, sos));
    const deliveries = async (): Promise<string> => (await list()).calls.map(({ delivery }) => delivery).join(' ');
    await until('the SOS is accepted', async () => (await deliveries()) === 'accepted');
    await up.end('SIGKILL');
    for (const name of readdirSync(here.dataDir)) if (name.startsWith('kv.sqlite')) rmSync(join(here.dataDir, name));

    const { code, calls } = await list();
    t.is(code, 1);
    t.like(calls, [{ state: 'declared', open: true, delivery: 'accepted' }]);
    const steps = calls[0]?.events[0]?.steps.map(({ step }) => step);
    t.deepEqual(steps, ['received', 'stored', 'accepted']);
    await here.up();
    t.like((await statusOf(here)).sos, [{ state: 'declared', delivery: 'accepted' }]);
    t.regex((await run(['activity'], here.env)).stdout, /SOS declared by device \d+ accepted after \d+\.\d s/);

    await send(here, park, event(2, { ...sos, messageCode: 7 }));
    await until('the cancellation is accepted', async () => (await list()).code === 0);
    t.like((await list()).calls, [{ state: 'cancelled', open: false, delivery: 'accepted' }]);
  },
);

test.serial(
  'a refused SOS that is replayed, refused again and replayed once more is one SOS and one dead letter',
  async (t) => {
    const here = await installFor(t, [park]);
    await here.up();
    const refusal = { fault: 'refuse_item', field: 'additional.sos', equals: 'declared' };
    const id = await here.platform.fault(refusal);
    await send(here, park, event(1, sos));
    const listed = async (): Promise<{ id: string; attempts: number }[]> =>
      JSON.parse((await run(['dlq', 'list', '--output', 'json'], here.env)).stdout) as never;
    await until('its position is a dead letter', async () => (await listed()).length === 1);
    const [letter] = await listed();
    const replay = () => run(['dlq', 'replay', letter?.id ?? '', '--wait', '60s'], here.env);

    const again = await replay();
    t.is(again.code, 1, again.stderr);
    t.regex(again.stdout, /^refused again: item_refused /m);
    t.like(await listed(), [{ id: letter?.id, attempts: 2 }]);
    await here.platform.repair(id);
    const last = await replay();
    t.is(last.code, 0, last.stdout);
    t.regex(last.stdout, /^accepted /m);
    t.deepEqual(await listed(), []);

    const { stdout } = await run(['sos', '--output', 'json'], here.env);
    const calls = JSON.parse(stdout) as ToldSos[];
    t.like(calls, [{ state: 'declared', delivery: 'accepted' }]);
    const steps = calls[0]?.events[0]?.steps.map(({ step }) => step) ?? [];
    t.deepEqual([...new Set(steps)].sort(), ['accepted', 'received', 'refused', 'replayed', 'stored']);
    t.is(steps.filter((step) => step === 'refused').length, 2);
    const { stdout: told } = await run(['activity'], here.env);
    t.is([...told.matchAll(/SOS declared by device \d+ ·/g)].length, 1, told);
  },
);

test.serial('a webhook that refuses because the platform cannot be resolved is no green light', async (t) => {
  const here = await installFor(t, [park]);
  const nowhere = 'https://platform.invalid';
  await here.up({ PLATFORM_API_BASE_URL: nowhere, PLATFORM_TOKEN_URL: `${nowhere}/token` });
  const problems = async (): Promise<string> => {
    t.is((await post(here, park, envelope(event(1)))).status, 503);
    const { verdict } = await statusOf(here);
    t.is(verdict.level, 'critical');
    return verdict.problems.map(({ text }) => text).join('\n');
  };
  t.regex(await problems(), /the last webhook request was answered 503/);
  const unusual = /The platform API does not answer as it should/;
  await until('the platform is named too', async () => unusual.test(await problems()), 60_000);
  t.is((await run(['status', '--exit-code'], here.env)).code, 1);
});

test.serial(
  'a park whose token is wrong is named without further requests, and beside good ones that alternate with wrong ones',
  async (t) => {
    const here = await installFor(t, [park, neighbour]);
    await here.up({});
    await send(here, park, event(1));
    t.is((await post({ ...here, token: 'wrong' }, neighbour, envelope(event(2, sos)))).status, 401);
    const since = Date.now();
    await until(
      'it is still said 70 s after the last request',
      async () => {
        const { code, stdout } = await run(['status', '--exit-code'], here.env);
        t.is(code, 1);
        t.regex(stdout, /^CRITICAL .*: 1 request with a wrong token, the last/m);
        return Date.now() - since > 70_000;
      },
      120_000,
    );
    t.regex((await run(['doctor'], here.env)).stdout, /^failed +up .*1 request with a wrong token/m);
    t.regex((await run(['activity'], here.env)).stdout, /1 request with a wrong token/);
    await send(here, neighbour, event(3));
    t.regex((await run(['status'], here.env)).stdout, /1 request with a wrong token/);
    t.is((await run(['status', '--dismiss', `webhook_token_refused=${neighbour}`], here.env)).code, 0);
    const isSaid = async () => (await run(['status'], here.env)).stdout.includes('wrong token');
    await until('the running process has read that it is dismissed', async () => !(await isSaid()), 30_000);
  },
);

test.serial('a bus file that is removed under a running up takes it out of service until it is back', async (t) => {
  const here = await installFor(t, [park]);
  await here.up();
  const file = join(here.dataDir, 'bus.sqlite');
  const ready = () => fetch(new URL('/readyz', here.webhookUrl));
  renameSync(file, `${file}.elsewhere`);
  const isOut = async (): Promise<boolean> => /files of DATA_DIR in place/.test(await (await ready()).text());
  await until('the ingester is out of service because of it', isOut, 10_000);
  t.is((await ready()).status, 503);
  t.is((await post(here, park, envelope(event(1)))).status, 503);
  renameSync(`${file}.elsewhere`, file);
  await until('the ingester is in service again', async () => (await ready()).status === 200, 10_000);
  await send(here, park, event(2));
  await untilStored(here, park, 1);
  t.deepEqual(await storedNumbers(here, park), [2]);
});

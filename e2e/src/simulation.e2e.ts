import test from 'ava';
import { generate } from './harness/generator.ts';
import { run, type Started } from './harness/product.ts';
import { openTrial } from './harness/trial.ts';
import { until } from './harness/until.ts';

/** Address and token of the first line to try. */
const webhookOf = (started: Started): { url: string; token: string } => {
  const [, url = '', token = ''] = /curl -sS '(\S+)' -H 'X-Outbound-Auth-Token: (\w+)'/.exec(started.output()) ?? [];
  return { url, token };
};

interface Taken {
  readonly item: { readonly source: string; readonly additional: { readonly altitude: number } };
}

interface Counts {
  readonly integrations: readonly {
    readonly accepted_observations: number;
    readonly accepted_messages: number;
    readonly dead_letters: number;
  }[];
}

test.serial(
  'what was acknowledged before a kill -9 in the middle of traffic is there afterwards; the commands work beside it',
  async (t) => {
    const { env, up, url } = await openTrial(t, { SIMULATED_DEVICES: '0' });
    const first = await up();
    const traffic = generate({ ...webhookOf(first), devices: 8, events: 128, perPost: 1, textEvery: 5, pauseMs: 80 });
    const counts = async (): Promise<Counts> => (await (await fetch(`${url}/status.json`)).json()) as Counts;
    const acceptedNow = async (): Promise<number> => (await counts()).integrations[0]?.accepted_observations ?? 0;
    await until('the platform has taken some', async () => (await acceptedNow()) > 40);
    const before = await acceptedNow();
    await first.end('SIGKILL');
    const second = await up();
    t.true((await acceptedNow()) >= before);
    await traffic.finished;

    // The page shows the newest 200 items; without a fleet the generator's are fewer.
    const missing = async (): Promise<number> => {
      const taken = (await (await fetch(`${url}/simulated.json?limit=200`)).json()) as Taken[];
      const there = new Set(taken.map(({ item }) => `${item.source} ${item.additional.altitude}`));
      return traffic.sent.filter(({ source, n }) => !there.has(`${source} ${n}`)).length;
    };
    await until('everything acknowledged is there', async () => (await missing()) === 0, 60_000);
    t.is((await counts()).integrations[0]?.dead_letters, 0);

    const status = await run(['status', '--output', 'json'], env);
    t.is(status.code, 0, status.stderr);
    t.is((JSON.parse(status.stdout) as Counts).integrations[0]?.accepted_messages, 24);
    const activity = await run(['activity', '--limit', '5'], env);
    t.is(activity.code, 0, activity.stderr);
    t.is(activity.stdout.trim().split('\n').length, 5);
    const letters = await run(['dlq', 'list'], env);
    t.is(letters.code, 0, letters.stderr);
    t.regex(letters.stdout, /No dead letters wait/);
    t.is(second.child.exitCode, null);
  },
);

test.serial('SIGTERM ends it with code 0 in time, and the directory can be used again at once', async (t) => {
  const { up, url } = await openTrial(t);
  for (let round = 0; round < 2; round += 1) {
    const started = await up();
    t.true((await fetch(`${url}/status.json`)).ok);
    const from = performance.now();
    t.is(await started.end('SIGTERM'), 0, started.errors());
    t.true(performance.now() - from < 15_000);
  }
});

const wrongValues: readonly (readonly [name: string, value: string, takes: RegExp])[] = [
  ['STATUS_PORT', '99999', /a port from 0 to 65535/],
  ['WEBHOOK_AUTH', 'maybe', /one of token, gateway, none/],
  ['HTTP_ALLOWED_NETWORKS', '10.0.0.0/99', /networks like 127\.0\.0\.0\/8/],
  ['PLATFORM_API_BASE_URL', 'ftp://platform.example', /an address like https:\/\/host\/path/],
  ['PLATFORM_GRANT', 'password', /one of client_credentials, uma-ticket/],
  ['WEBHOOK_TOKENS_FILE', '/nowhere/tokens.json', /cannot be used/],
  ['DATA_DIR', '/proc/nowhere', /cannot be created/],
];

for (const [name, value, takes] of wrongValues)
  test.serial(`${name}=${value} stops the start with a sentence that says why`, async (t) => {
    const { env } = await openTrial(t);
    const { code, stderr } = await run(['up'], { ...env, [name]: value });
    t.is(code, 1);
    const [sentence = ''] = stderr.split('\n');
    t.true(sentence.includes(value), sentence);
    t.true(sentence.includes(name) || name === 'DATA_DIR', sentence);
    t.regex(sentence, takes);
  });

test.serial('a wrong secret is named, never shown', async (t) => {
  const { env } = await openTrial(t);
  const secret = 'hush'.repeat(600);
  const { code, stdout, stderr } = await run(['up'], { ...env, PLATFORM_CLIENT_SECRET: secret });
  t.is(code, 1);
  t.regex(stderr, /^PLATFORM_CLIENT_SECRET has a value that is not shown, but takes a text/);
  t.false((stdout + stderr).includes('hush'));
});

import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { contain, nonRoot, runContained, volumeFor } from './harness/contained.ts';
import { makeImages, type MadeImages } from './harness/image.ts';
import { freePort } from './harness/product.ts';
import { until } from './harness/until.ts';

const services = ['webhook-ingester', 'observation-forwarder', 'message-pusher', 'action-runner'];

let made: MadeImages;

test.before(async () => {
  made = await makeImages();
});

test.after.always(() => made?.remove());

test.serial(
  'a program is process 1, nobody in particular, without rights, on a root that cannot be written',
  async (t) => {
    const look = `
    const fs = require('node:fs'), os = require('node:os');
    const write = (path) => { try { fs.writeFileSync(path + '/x', ''); return 'written'; } catch (error) { return error.code; } };
    const status = fs.readFileSync('/proc/self/status', 'utf8');
    require('node:dns').lookup('localhost', (error, address) => console.log(JSON.stringify({
      pid: process.pid, cwd: process.cwd(), user: os.userInfo().username, groups: process.getgroups(),
      capabilities: /CapEff:\\t(\\w+)/.exec(status)[1], newRights: /NoNewPrivs:\\t(\\d)/.exec(status)[1],
      writes: ['/', '/app', '/etc', '/tmp', '/data'].map(write), address: error?.code ?? address,
      zone: new Date(0).toLocaleTimeString('en-GB', { timeZone: 'Africa/Nairobi' }) })));`;
    const { stdout, stderr } = await runContained(t, made.image('ranger-relay'), volumeFor(t), ['-e', look]);
    t.deepEqual(
      [JSON.parse(stdout), stderr],
      [
        {
          pid: 1,
          cwd: '/app',
          user: 'nonroot',
          groups: [nonRoot],
          capabilities: '0000000000000000',
          newRights: '1',
          writes: ['EROFS', 'EROFS', 'EROFS', 'written', 'written'],
          address: '127.0.0.1',
          zone: '03:00:00',
        },
        '',
      ],
    );
  },
);

test.serial('the command lines tell their version and their help', async (t) => {
  for (const name of ['ranger-relay', 'sync-tool']) {
    const volume = volumeFor(t);
    const { version } = JSON.parse(readFileSync(join(made.image(name).root, 'app/package.json'), 'utf8')) as {
      version: string;
    };
    t.like(await runContained(t, made.image(name), volume, [`/app/${name}.mjs`, '--version']), {
      code: 0,
      stdout: `${version}\n`,
      stderr: '',
    });
    const help = await runContained(t, made.image(name), volume, [`/app/${name}.mjs`, '--help']);
    t.is(help.code, 0);
    t.regex(help.stdout, new RegExp(`^Usage: ${name} `));
  }
});

for (const service of services) {
  const program = `/app/${service}.mjs`;

  test.serial(
    `${service} without KAFKA_BROKERS does not start and says so in one line of each missing variable`,
    async (t) => {
      const ended = await runContained(t, made.image('ranger-relay'), volumeFor(t), [program]);
      t.is(ended.code, 1);
      t.regex(ended.stderr, /^KAFKA_BROKERS is not set; [^\n]+\n([A-Z_]+ is not set[;,] [^\n]+\n)*$/);
      t.is(ended.stdout, '');
    },
  );

  test.serial(
    `${service} as process 1 ends at a SIGTERM that comes while it loads, and in good order once it has started`,
    async (t) => {
      const volume = volumeFor(t);
      const env = {
        KAFKA_BROKERS: '127.0.0.1:9',
        KV_HOST: '127.0.0.1',
        KV_PORT: '9',
        PLATFORM_API_BASE_URL: 'https://platform.example',
        PLATFORM_SENSORS_BASE_URL: 'https://platform.example',
        PLATFORM_TOKEN_URL: 'https://platform.example/token',
        PLATFORM_CLIENT_ID: 'x',
        PLATFORM_CLIENT_SECRET: 'x',
        WEBHOOK_AUTH: 'none',
        AUTH_TOKEN: 'e2e-token',
        PORT: String(await freePort()),
      };
      const early = contain(t, made.image('ranger-relay'), volume, [program], env);
      await early.began();
      early.signal('SIGTERM');
      t.true([0, 143].includes((await early.exited) ?? -1), early.errors());

      const started = contain(t, made.image('ranger-relay'), volume, [program], env);
      await until(`${service} has started`, () => /"msg":"started"/.test(started.output() + started.errors())).catch(
        (error: unknown) => {
          throw new Error(started.output() + started.errors(), { cause: error });
        },
      );
      const answer = await fetch(`http://127.0.0.1:${env.PORT}/livez`);
      t.is(answer.status, 200);
      started.signal('SIGTERM');
      t.is(await started.exited, 0, started.errors());
    },
  );
}

test.serial(
  '`up` runs on a read-only root, is ready, ends at SIGTERM in good order, and has its data again',
  async (t) => {
    const volume = volumeFor(t);
    const ports = {
      STATUS_PORT: await freePort(),
      INGESTER_PORT: await freePort(),
      PUSHER_PORT: await freePort(),
      RUNNER_PORT: await freePort(),
      FORWARDER_PORT: await freePort(),
    };
    const env = {
      ...Object.fromEntries(Object.entries(ports).map(([name, port]) => [name, String(port)])),
      SIMULATED_DEVICES: '0',
    };
    const up = async () => {
      const contained = contain(
        t,
        made.image('ranger-relay'),
        volume,
        ['--max-semi-space-size=6', '/app/ranger-relay.mjs', 'up'],
        env,
      );
      await until('up is running', () => /ranger-relay is running/.test(contained.output())).catch((error: unknown) => {
        throw new Error(contained.output() + contained.errors(), { cause: error });
      });
      return contained;
    };
    const end = async (contained: Awaited<ReturnType<typeof up>>): Promise<void> => {
      contained.signal('SIGTERM');
      t.is(await contained.exited, 0, contained.errors());
    };
    const taken = async (): Promise<readonly string[]> => {
      const answer = await fetch(`http://127.0.0.1:${ports.STATUS_PORT}/simulated.json?limit=50`);
      const items = (await answer.json()) as { kind: string; item: { source: string } }[];
      return items.filter(({ item }) => item.source === '300434030099999').map(({ kind }) => kind);
    };

    const first = await up();
    for (const port of [ports.INGESTER_PORT, ports.PUSHER_PORT, ports.RUNNER_PORT, ports.FORWARDER_PORT])
      t.is((await fetch(`http://127.0.0.1:${port}/readyz`)).status, 200);
    const curl =
      first
        .output()
        .split('\n')
        .find((line) => line.trim().startsWith('curl ')) ?? '';
    t.deepEqual(JSON.parse(execFileSync('sh', ['-c', curl], { encoding: 'utf8' })), {
      total_observations: 1,
      total_messages: 1,
    });
    await until('position and text have arrived', async () => (await taken()).length === 2);
    t.true(readdirSync(volume).includes('bus.sqlite'), readdirSync(volume).join());
    await end(first);

    const second = await up();
    t.is((await taken()).length, 2);
    await end(second);
  },
);

test.serial('sync-tool does a whole run with its bundle and its record on the volume', async (t) => {
  const image = made.image('sync-tool');
  const volume = volumeFor(t);
  const site = contain(t, image, volume, ['/app/sync-tool.mjs', 'dev-site', '--port', '0']);
  const address = (): string | undefined => /listens on (http:\S+?);/.exec(site.output() + site.errors())?.[1];
  await until('the simulated site listens', () => address() !== undefined);
  const run = (...args: string[]) =>
    runContained(t, image, volume, ['/app/sync-tool.mjs', ...args, '--output', 'json']);
  t.like(await run('bundle', 'sample', '/data/export', '--contract'), { code: 0 });
  const done = await run(
    'patrol-datamodel',
    '--bundle',
    '/data/export',
    '--site-endpoint',
    address() ?? '',
    '--site-token',
    'site-token',
  );
  t.is(done.code, 0, done.stdout + done.stderr);
  t.true(
    readdirSync(volume).some((name) => /^patrol-datamodel-run-\w+\.json$/.test(name)),
    readdirSync(volume).join(),
  );

  site.signal('SIGTERM');
  t.true([0, 130].includes((await site.exited) ?? -1), site.errors());
});

import { execFileSync } from 'node:child_process';
import { lstatSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { rootCertificates } from 'node:tls';
import { fileURLToPath } from 'node:url';
import test from 'ava';
import { contain, nonRoot, runContained, volumeFor } from './harness/contained.ts';
import { callImages, listedIn, makeImages, type MadeImages } from './harness/image.ts';
import { freePort, freePorts } from './harness/product.ts';
import { untilPrinted } from './harness/ready.ts';
import { curlLines } from './harness/trial.ts';
import { until } from './harness/until.ts';

const checkout = fileURLToPath(new URL('../../', import.meta.url));
const limits: Readonly<Record<string, number>> = { 'ranger-relay': 140e6, 'sync-tool': 130e6 };
const names = Object.keys(limits);
const services = ['webhook-ingester', 'observation-forwarder', 'message-pusher', 'action-runner', 'operator'];

let made: MadeImages;

test.before(async () => {
  made = await makeImages();
});

test.after.always(() => made?.remove());

test.serial(
  'two makings give the same archives, whatever the clock’s zone, the language, the mask and the folder',
  async (t) => {
    const again = join(made.folder, 'again');
    const env = { TZ: 'Pacific/Auckland', LANG: 'de_DE.UTF-8', TMPDIR: made.folder, HOME: made.folder };
    t.is((await callImages(['--out', again], { cwd: tmpdir(), env, umask: '077' })).code, 0);
    t.deepEqual(listedIn(again), listedIn(made.out));
    for (const name of names) {
      const [one, two] = [made.out, again].map((place) =>
        execFileSync('sha256sum', [join(place, `${name}.tar`)], { encoding: 'utf8' }).slice(0, 64),
      );
      t.is(one, two, name);
    }
    rmSync(again, { recursive: true });
  },
);

test.serial('the layers of system and Node are the same in both images, and each image keeps its limit', (t) => {
  const [relay, sync] = listedIn(made.out);
  t.deepEqual(relay?.layers.slice(0, 2), sync?.layers.slice(0, 2));
  for (const { name, size, layers } of listedIn(made.out)) {
    const total = layers.reduce((sum, layer) => sum + layer.size, 0);
    t.is(size, total);
    t.true(size <= (limits[name] ?? 0), `${name} has ${size}`);
    t.true((layers[2]?.size ?? 0) < 25e6, `its own layer has ${layers[2]?.size}`);
  }
});

test.serial('every blob is what its name says', (t) => {
  for (const name of names) for (const { named, is } of made.image(name).blobs) t.is(is, named, name);
});

/** Every path of an image with its metadata. */
const pathsOf = (name: string) => {
  const { root } = made.image(name);
  return readdirSync(root, { recursive: true, encoding: 'utf8' })
    .filter((path) => !['proc', 'dev'].includes(path))
    .map((path) => ({ path, stat: lstatSync(join(root, path)) }));
};

test.serial(
  'an image holds Node, libraries and the programs: no shell, no package manager, nothing that gives rights away',
  (t) => {
    for (const name of names) {
      const all = pathsOf(name);
      const runnable = all.filter(({ stat }) => stat.isFile() && (stat.mode & 0o111) !== 0).map(({ path }) => path);
      const programs = runnable.filter((path) => !/^lib(64)?\/.*\.so\.\d+$/.test(path));
      t.deepEqual(programs, ['usr/local/bin/node'], name);
      const special = all.filter(({ stat }) => (stat.mode & 0o6000) !== 0 || stat.isSymbolicLink());
      t.deepEqual(special, []);
      const writable = all.filter(({ stat }) => stat.uid !== 0 || stat.gid !== 0 || (stat.mode & 0o022) !== 0);
      t.deepEqual(writable.map(({ path, stat }) => [path, stat.uid, stat.mode & 0o7777]).sort(), [
        ['data', nonRoot, 0o700],
        ['tmp', 0, 0o1777],
      ]);
    }
  },
);

test.serial('/app holds the bundles, their bill and their licences, and nothing of this machine', (t) => {
  const beside = ['LICENSES.txt', 'package.json', 'sbom.cdx.json'];
  const held: Record<string, readonly string[]> = {
    'ranger-relay': [
      ...services.map((name) => `${name}.mjs`),
      'ranger-relay.mjs',
      'client-node.js',
      'sqlite-worker.js',
    ],
    'sync-tool': ['sync-tool.mjs'],
  };
  for (const name of names) {
    const app = join(made.image(name).root, 'app');
    t.deepEqual(readdirSync(app).sort(), [...beside, ...(held[name] ?? [])].sort());
    for (const file of readdirSync(app)) {
      const text = readFileSync(join(app, file), 'utf8');
      // The folder for what is temporary has that name in a pod as well; what lies in it is of this machine.
      for (const path of [checkout.replace(/\/$/, ''), homedir(), `${tmpdir()}/`])
        t.false(text.includes(path), `${file}: ${path}`);
      t.false(/[/*]# sourceMappingURL=\w+\.\w+/.test(text), file);
    }
  }
});

test.serial(
  'the bill of materials names every package whose code is in a bundle, with the version that is installed',
  (t) => {
    for (const name of names) {
      const app = join(made.image(name).root, 'app');
      const { components } = JSON.parse(readFileSync(join(app, 'sbom.cdx.json'), 'utf8')) as {
        components: { group?: string; name: string; version: string; purl?: string }[];
      };
      const listed = new Set(
        components.map(({ group, name, version }) => `${group ? `${group}/` : ''}${name}@${version}`),
      );
      const licences = readFileSync(join(app, 'LICENSES.txt'), 'utf8');
      const bundles = readdirSync(app).filter((file) => file.endsWith('js'));
      const folders = bundles.flatMap((file) =>
        [...readFileSync(join(app, file), 'utf8').matchAll(/^\s*\/\/ (.*node_modules\/(?:@[^/\n]+\/)?[^/\n]+)/gm)].map(
          ([, path]) => path ?? '',
        ),
      );
      t.true(new Set(folders).size > 20);
      for (const path of new Set(folders)) {
        const { name: its, version } = JSON.parse(readFileSync(join(checkout, path, 'package.json'), 'utf8')) as {
          name: string;
          version: string;
        };
        t.true(listed.has(`${its}@${version}`), `${name}: ${its}@${version}`);
        t.true(licences.includes(`${its} ${version} (`), `${name}: ${its}`);
      }
      const parts = new Set(components.map(({ name: part }) => part));
      for (const part of ['node', 'libc6', 'libstdc++6']) t.true(parts.has(part), part);
    }
  },
);

test.serial('the authorities are Node’s own, not those that somebody has added to this machine', (t) => {
  const file = join(made.image('ranger-relay').root, 'etc/ssl/certs/ca-certificates.crt');
  t.deepEqual(readFileSync(file, 'utf8').match(/-----BEGIN[^-]+-----[^-]+-----END[^-]+-----/g), [...rootCertificates]);
});

test.serial('one image alone is made, and the lines say how far it is and how large everything is', async (t) => {
  const alone = join(made.folder, 'alone');
  const { stdout } = await callImages(['--only', 'sync-tool', '--out', alone], { cwd: made.folder });
  t.regex(stdout, /^layer node, [\d.]+ MB, sha256:/m);
  t.regex(stdout, /^docker\.io\/ranger-relay\/sync-tool:\S+ [\d.]+ MB of 130\.0 MB, sha256:/m);
  t.deepEqual(readdirSync(alone).sort(), ['images.json', 'sync-tool.tar']);
  rmSync(alone, { recursive: true });
});

const other = process.arch === 'x64' ? 'arm64' : 'x64';

for (const [what, args, env, says] of [
  ['the other architecture', ['--arch', other], {}, /^images for \w+ take the C library of the machine.*\n$/],
  ['without strip', [], { PATH: '/nowhere' }, /^strip is not installed.*install binutils\n$/],
] as const)
  test.serial(`is refused in one sentence, with nothing half made left behind: ${what}`, async (t) => {
    const out = join(made.folder, `refused-${what}`);
    const { code, stderr } = await callImages([...args, '--out', out], { cwd: made.folder, env });
    t.is(code, 1);
    t.regex(stderr, says);
    t.deepEqual(readdirSync(out), []);
  });

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
    t.is(stderr, '');
    t.deepEqual(JSON.parse(stdout), {
      pid: 1,
      cwd: '/app',
      user: 'nonroot',
      groups: [nonRoot],
      capabilities: '0000000000000000',
      newRights: '1',
      writes: ['EROFS', 'EROFS', 'EROFS', 'written', 'written'],
      address: '127.0.0.1',
      zone: '03:00:00',
    });
  },
);

test.serial('the command lines tell their version and their help', async (t) => {
  for (const name of ['ranger-relay', 'sync-tool']) {
    const volume = volumeFor(t);
    const about = readFileSync(join(made.image(name).root, 'app/package.json'), 'utf8');
    const { version } = JSON.parse(about) as { version: string };
    const told = await runContained(t, made.image(name), volume, [`/app/${name}.mjs`, '--version']);
    t.like(told, { code: 0, stdout: `${version}\n`, stderr: '' });
    const help = await runContained(t, made.image(name), volume, [`/app/${name}.mjs`, '--help']);
    t.is(help.code, 0);
    t.regex(help.stdout, new RegExp(`^Usage: ${name} `));
  }
});

for (const service of services.filter((name) => name !== 'operator')) {
  const program = `/app/${service}.mjs`;

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
      await untilPrinted(`${service} has started`, started, /"msg":"started"/);
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
    const ports = await freePorts();
    const env = { ...ports, SIMULATED_DEVICES: '0' };
    const up = async () => {
      const args = ['--max-semi-space-size=6', '/app/ranger-relay.mjs', 'up'];
      const contained = contain(t, made.image('ranger-relay'), volume, args, env);
      await untilPrinted('up is running', contained, /ranger-relay is running/);
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
    const [curl = ''] = curlLines(first);
    const counts = { total_observations: 1, total_messages: 1 };
    t.deepEqual(JSON.parse(execFileSync('sh', ['-c', curl], { encoding: 'utf8' })), counts);
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
  const [, address = ''] = await untilPrinted('the simulated site listens', site, /listens on (http:\S+?);/);
  const run = (...args: string[]) =>
    runContained(t, image, volume, ['/app/sync-tool.mjs', ...args, '--output', 'json']);
  t.like(await run('bundle', 'sample', '/data/export', '--contract'), { code: 0 });
  const onSite = ['--site-endpoint', address, '--site-token', 'site-token'];
  const done = await run('patrol-datamodel', '--bundle', '/data/export', ...onSite);
  t.is(done.code, 0, done.stdout + done.stderr);
  t.regex(readdirSync(volume).join('\n'), /^patrol-datamodel-run-\w+\.json$/m);

  site.signal('SIGTERM');
  t.true([0, 130].includes((await site.exited) ?? -1), site.errors());
});

import { execFile, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import test, { type ExecutionContext } from 'ava';
import { collect, freePorts } from './harness/product.ts';
import { curlLines, isAlive, untilRunning } from './harness/trial.ts';
import { until } from './harness/until.ts';

const call = promisify(execFile);
const root = fileURLToPath(new URL('../../', import.meta.url));

/** Environment of a user's shell, without the conditions and tools of the workspace. */
const plainEnv = (): NodeJS.ProcessEnv => ({
  PATH: (process.env['PATH'] ?? '')
    .split(':')
    .filter((folder) => !folder.includes('node_modules'))
    .join(':'),
  HOME: process.env['HOME'],
  NO_COLOR: '1',
  npm_config_prefer_offline: 'true',
  npm_config_audit: 'false',
  npm_config_fund: 'false',
});

interface Packed {
  readonly tarball: string;
  /** An empty folder to work in. */
  readonly empty: string;
  readonly env: NodeJS.ProcessEnv;
  readonly statusUrl: string;
}

const pack = async (t: ExecutionContext): Promise<Packed> => {
  const dir = mkdtempSync(join(tmpdir(), 'ranger-relay-packed-'));
  t.teardown(() => rmSync(dir, { recursive: true, force: true, maxRetries: 5 }));
  await call('npm', ['pack', '-w', 'cli/relay', '--pack-destination', dir], { cwd: root });
  const [name] = readdirSync(dir);
  const empty = join(dir, 'empty');
  mkdirSync(empty);
  const ports = await freePorts();
  const env = { ...plainEnv(), DATA_DIR: join(dir, 'data'), SIMULATED_DEVICES: '0', ...ports };
  return { tarball: join(dir, name ?? ''), empty, env, statusUrl: `http://127.0.0.1:${ports.STATUS_PORT}` };
};

const npxArgs = ({ tarball }: Packed, ...args: readonly string[]): string[] =>
  ['--yes', '--package', tarball, 'ranger-relay'].concat(args);

/** Runs `up` of the packed tool; resolves once the lines to try are printed. */
const npxUp = async (t: ExecutionContext, packed: Packed) => {
  const { empty: cwd, env } = packed;
  const npx = collect(spawn('npx', npxArgs(packed, 'up'), { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] }));
  t.teardown(() => npx.child.kill('SIGKILL'));
  const pid = await untilRunning(t, npx, 180_000);
  return { pid, lines: curlLines(npx), ended: npx.exited };
};

interface Taken {
  readonly kind: string;
  readonly item: { readonly source: string; readonly text?: string };
}

test.serial('the packed tool runs from an empty folder, and keeps its event over a kill -9', async (t) => {
  const packed = await pack(t);
  const help = await call('npx', npxArgs(packed, '--help'), { cwd: packed.empty, env: packed.env });
  for (const name of ['up', 'simulate', 'status', 'activity', 'dlq'])
    t.regex(help.stdout, new RegExp(`^ {2}${name} `, 'm'));

  const taken = async (): Promise<Taken[]> =>
    ((await (await fetch(`${packed.statusUrl}/simulated.json?limit=50`)).json()) as Taken[]).filter(
      ({ item }) => item.source === '300434030099999',
    );
  const first = await npxUp(t, packed);
  const { stdout: answer } = await call('sh', ['-c', first.lines[0] ?? ''], { env: packed.env });
  t.deepEqual(JSON.parse(answer), { total_observations: 1, total_messages: 1 });
  await until('position and text have arrived', async () => (await taken()).length === 2);
  const before = await taken();
  const texts = before.map(({ kind, item }) => item.text ?? kind);
  t.deepEqual(texts, ['observation', 'Back at noon']);
  // An item whose forwarder is killed between the platform's answer and the mark arrives twice; here both are marked.
  await until('both count as accepted', async () => {
    const { integrations } = (await (await fetch(`${packed.statusUrl}/status.json`)).json()) as {
      integrations: { accepted_observations: number; accepted_messages: number }[];
    };
    return integrations.some((each) => each.accepted_observations === 1 && each.accepted_messages === 1);
  });
  process.kill(first.pid, 'SIGKILL');
  await first.ended;

  const second = await npxUp(t, packed);
  t.not(second.pid, first.pid);
  t.deepEqual(await taken(), before);
  const options = { cwd: packed.empty, env: packed.env };
  const status = await call('npx', npxArgs(packed, 'status', '--output', 'json'), options);
  t.like(JSON.parse(status.stdout), { integrations: [{ accepted_observations: 1, accepted_messages: 1 }] });
  process.kill(second.pid, 'SIGTERM');
  await second.ended;
  t.false(isAlive(second.pid));
});

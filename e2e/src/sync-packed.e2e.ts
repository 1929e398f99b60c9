import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { fetchedNode, hostNode, packNode, packTool, scratch, toolOn, type PackedTool } from './harness/sync-packed.ts';

const recordName = /^patrol-datamodel-run-\w+\.json$/;

interface Logged {
  readonly method: string;
  readonly path: string;
}

/** Runs a command that has to end well and gives what it says as JSON. */
const json = async (t: ExecutionContext, tool: PackedTool, ...args: string[]): Promise<Record<string, unknown>> => {
  const { code, stdout, stderr } = await tool.run(...args, '--output', 'json');
  t.is(code, 0, `${args.join(' ')}\n${stdout}${stderr}`);
  return JSON.parse(stdout) as Record<string, unknown>;
};

const writesOf = async (url: string): Promise<string[]> => {
  const { entries } = (await (await fetch(`${url}/__control/log`)).json()) as { entries: Logged[] };
  await fetch(`${url}/__control/log`, { method: 'DELETE' });
  const safe = new Set(['GET', 'OPTIONS']);
  return entries.flatMap(({ method, path }) => (safe.has(method) ? [] : [`${method} ${path.split('/')[3] ?? ''}`]));
};

/** Dry run, run, second run, verify and undo of the contract's sample, with what the site was asked each time. */
const wholeSample = async (t: ExecutionContext, tool: PackedTool): Promise<void> => {
  const help = await tool.run('--help');
  t.is(help.code, 0, help.stderr);
  for (const name of ['patrol-datamodel', 'undo', 'bundle', 'dev-site', 'completion'])
    t.regex(help.stdout, new RegExp(`^ {2}${name} `, 'm'));

  const url = await tool.site();
  const site = ['--site-endpoint', url, '--site-token', 'site-token'];
  const run = ['patrol-datamodel', '--bundle', 'export', ...site];
  t.like(await json(t, tool, 'bundle', 'sample', 'export', '--contract'), { ok: true, records: 15 });
  t.like(await json(t, tool, '--dry-run', ...run), { ok: true, dry_run: true, record: null });
  t.deepEqual(await writesOf(url), []);

  t.like(await json(t, tool, ...run), { ok: true, roster_added: 3, logins_left_out: 1 });
  t.is((await writesOf(url)).length, 14);
  t.like(await json(t, tool, ...run), { ok: true, record: null });
  t.deepEqual(await writesOf(url), []);
  t.like(await json(t, tool, 'verify', '--bundle', 'export', ...site), { ok: true, differences: 0 });

  const records = readdirSync(tool.folder).filter((name) => recordName.test(name));
  t.is(records.length, 1);
  t.like(await json(t, tool, 'undo', join(tool.folder, records[0] ?? ''), ...site), { undone: 14, left: 0, failed: 0 });
  const undone = await writesOf(url);
  t.is(undone.length, 14);
  t.true(undone.at(-1)?.startsWith('DELETE '));
};

const tarballFolder = mkdtempSync(join(tmpdir(), 'sync-tool-pack-'));
let packed: { readonly tarball: string; readonly nodeTarball: string | undefined };

test.before(async () => {
  packed = { tarball: await packTool(tarballFolder), nodeTarball: await packNode(tarballFolder) };
});

test.after.always(() => rmSync(tarballFolder, { recursive: true, force: true }));

const tryOn = async (t: ExecutionContext, node: string): Promise<void> => {
  const tool = await toolOn(t, packed, node);
  t.log(tool.version);
  await wholeSample(t, tool);
};

test.serial('the packed tool does the whole sample without a network, on the Node of the workspace', async (t) => {
  await tryOn(t, process.execPath);
});

test.serial('the packed tool does the whole sample without a network, on the Node of the machine', async (t) => {
  const node = hostNode();
  if (node === undefined) t.pass('the machine has none of its own');
  else await tryOn(t, node);
});

test.serial('the one file of the tool says at once that it needs a newer Node', async (t) => {
  const node = hostNode();
  if (node === undefined) return t.pass('the machine has none of its own');
  const tool = await toolOn(t, packed, node, 'alone');
  const { code, stderr } = await tool.run('--version');
  if (Number.parseInt(tool.version.slice(1), 10) >= 24) return t.is(code, 0);
  t.is(code, 1);
  return t.regex(stderr, /^sync-tool needs Node 24 or newer; this is v\d+/);
});

for (const major of [20, 22])
  test.serial(
    `the packed tool does the whole sample without a network, on Node ${major} of the registry`,
    async (t) => {
      const node = await fetchedNode(scratch(t, 'sync-tool-node-'), major);
      if (node === undefined) {
        t.log(`not tried on Node ${major}: the registry does not answer`);
        t.pass();
      } else await tryOn(t, node);
    },
  );

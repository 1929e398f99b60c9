import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import test, { type ExecutionContext } from 'ava';
import { isRecorded, sessionsOf, type Step } from './harness/console-blocks.ts';
import { freePort, startNode } from './harness/product.ts';
import { untilPrinted } from './harness/ready.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const tool = join(root, 'cli/sync-tool/bin/sync-tool.mjs');
/** The pages with a session on the simulated site, and the heading that it stands under. */
const pages = [
  ['sync-a-site.md', 'A session on a simulated site'],
  ['exported-bundles.md', 'Prepare a site from an exported bundle'],
] as const;
const sessionOf = ([page, heading]: (typeof pages)[number]): readonly Step[] =>
  sessionsOf(readFileSync(join(root, 'docs', page), 'utf8'), heading).flat();
const recordName = /patrol-datamodel-run-\w+\.json/;

/** What differs from one session to the next, made equal: times, ids, folders, and the port. */
const plain = (text: string, port: number): readonly string[] =>
  text
    .trimEnd()
    .replaceAll(`127.0.0.1:${port}`, '127.0.0.1:8090')
    .replaceAll(/\d{8}T\d{6}Z/g, '<time>')
    .replaceAll(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, '<id>')
    .replaceAll(/(?<= )\/\S*\/(?=checklist\.md|patrol-datamodel-)/g, '')
    .split('\n');

interface Session {
  readonly folder: string;
  readonly port: number;
}

/** The command as it is to be typed here: the tool of this checkout, the site's port, and the record that the run has left. */
const typed = ({ command }: Step, { folder, port }: Session): string =>
  command
    .replace('npx sync-tool', `'${process.execPath}' '${tool}'`)
    .replace('127.0.0.1:8090', `127.0.0.1:${port}`)
    .replace(recordName, (name) => readdirSync(folder).find((file) => recordName.test(file)) ?? name);

const perform = (step: Step, session: Session, env: NodeJS.ProcessEnv): Promise<{ code: number; output: string }> =>
  new Promise((resolve) => {
    execFile('sh', ['-c', `${typed(step, session)} 2>&1`], { cwd: session.folder, env }, (error, stdout) =>
      resolve({ code: Number(error?.code ?? 0), output: stdout }),
    );
  });

const startSite = async (t: ExecutionContext, recorded: readonly string[]): Promise<Session> => {
  const folder = mkdtempSync(join(tmpdir(), 'sync-tool-readme-'));
  t.teardown(() => rmSync(folder, { recursive: true, force: true }));
  const port = await freePort();
  const started = startNode([tool, 'dev-site', '--port', String(port)]);
  t.teardown(() => started.end('SIGTERM'));
  await untilPrinted('the site says where it listens', started, /listens on/);
  t.true(isRecorded(recorded, plain(started.output(), port)), started.output());
  return { folder, port };
};

test.serial('the session of each page begins with the bundle and the simulated site, and shows the whole way', (t) => {
  const ways = [
    ['bundle sample', '--dry-run patrol-datamodel', 'patrol-datamodel', 'verify', 'undo'],
    ['bundle sample', 'bundle validate', '--dry-run patrol-datamodel', 'patrol-datamodel', 'rehearse'],
  ];
  for (const [at, page] of pages.entries()) {
    const [bundle, site, ...steps] = sessionOf(page);
    t.is(bundle?.command, 'npm run bundle');
    t.is(site?.command, 'npx sync-tool dev-site');
    for (const name of ways[at] ?? [])
      t.true(
        steps.some(({ command }) => command.startsWith(`npx sync-tool ${name} `)),
        name,
      );
  }
});

test.serial('each step of the pages prints what is recorded, in order', async (t) => {
  t.is(await startNode(['scripts/bundle.mjs', 'sync-tool']).exited, 0);
  for (const page of pages) {
    const [, site, ...steps] = sessionOf(page);
    const session = await startSite(t, site?.lines ?? []);
    const env: NodeJS.ProcessEnv = { PATH: process.env['PATH'], HOME: session.folder };
    for (const step of steps) {
      const [, name, value] = /^export (\w+)=(\S+)$/.exec(step.command) ?? [];
      if (name !== undefined) env[name] = value;
      const { code, output } = await perform(step, session, env);
      t.is(code, 0, `${step.command}\n${output}`);
      const recorded = step.lines.flatMap((line) => plain(line, session.port));
      t.true(isRecorded(recorded, output === '' ? [] : plain(output, session.port)), `${step.command}\n${output}`);
    }
  }
});

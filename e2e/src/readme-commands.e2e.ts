import { readFileSync } from 'node:fs';
import test, { type ExecutionContext } from 'ava';
import { startCluster } from './harness/cluster.ts';
import { sessionsOf } from './harness/console-blocks.ts';
import { installFor, type Installation } from './harness/installation.ts';
import { run, startNode, type Finished } from './harness/product.ts';
import { envelope, event, post, send, untilStored } from './harness/traffic.ts';
import { openTrial, siteOf } from './harness/trial.ts';
import { until } from './harness/until.ts';

const park = 'aaaaaaaa-0000-4000-8000-000000000001';
const readme = readFileSync(new URL('../../README.md', import.meta.url), 'utf8');
const scripts = (
  JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as { scripts: object }
).scripts;

/** Commands that another scenario types, from the page of the sync. */
const syncPage = readFileSync(new URL('../../docs/sync-a-site.md', import.meta.url), 'utf8');
const typedElsewhere = new Set(
  sessionsOf(syncPage, 'A session on a simulated site')
    .flat()
    .map(({ command }) => command),
);

/** Lines of the README's shell blocks. */
const commands = [...readme.matchAll(/```sh\n([\s\S]*?)```/g)].flatMap(([, block = '']) => block.trim().split('\n'));
const relay = commands.flatMap((line) =>
  line.startsWith('npx ranger-relay ') ? [line.slice('npx ranger-relay '.length)] : [],
);

const words = (line: string): string[] =>
  [...line.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, bare]) => quoted ?? bare ?? '');

/** Starts the system with one dead letter waiting. */
const withDeadLetter = async (t: ExecutionContext): Promise<{ here: Installation; letter: string }> => {
  const here = await installFor(t, [park]);
  await here.up();
  await send(here, park, event(1));
  await untilStored(here, park, 1);
  await post(here, park, envelope(event(2, { timeStamp: 'once upon a time' })));
  const listed = await run(['dlq', 'list', '--output', 'json'], here.env);
  const letter = /"id":\s*"([^"]+)"/.exec(listed.stdout)?.[1] ?? '';
  t.not(letter, '', listed.stdout + listed.stderr);
  return { here, letter };
};

test.serial('every command of the README is one that this test knows', (t) => {
  const unknown = commands.filter(
    (line) =>
      !typedElsewhere.has(line) &&
      !/^(npx ranger-relay (up|status|sos|activity|dlq|simulate|topics|why|run)\b|npm (start|test|run bundle)$|node services\/|export [A-Z_]+=)/.test(
        line,
      ),
  );
  t.deepEqual(unknown, []);
  for (const name of [...readme.matchAll(/`npm run (\w+)`/g)].map(([, script]) => script ?? ''))
    t.true(name in scripts, name);
});

test.serial('the variables of the README are those that `up` reads', async (t) => {
  const help = await run(['up', '--help']);
  for (const [, name = ''] of readme.matchAll(/^export ([A-Z_]+)=/gm))
    t.true(help.stdout.includes(name.replace(/_FILE$/, '')), name);
});

test.serial('the commands of the README do what it says, beside a running system', async (t) => {
  const { here, letter } = await withDeadLetter(t);
  t.true(relay.includes('activity --follow'));
  await until('the activity log tells what was received', async () =>
    (await run(['activity', '--output', 'json'], here.env)).stdout.includes('"total_observations":1'),
  );
  const call = (line: string): Promise<Finished> =>
    run(
      words(
        line
          .replace('http://127.0.0.1:8081/webhooks?integration_id=<id>', `${here.webhookUrl}?integration_id=${park}`)
          .replace('<token>', here.token)
          .replace('<id>', letter)
          .replace('--devices 50 --rate 100 --duration 30s', '--devices 5 --rate 20 --duration 2s'),
      ),
      here.env,
    );
  const expected: readonly (readonly [prefix: string, code: number, text: RegExp])[] = [
    ['status', 0, /webhook-ingester\s+ready/],
    ['sos', 0, /No SOS in the last 30 days\./],
    ['dlq list', 0, new RegExp(letter)],
    ['dlq show', 0, /bad_time/],
    // The event is still unreadable: replaying says so, and the letter stays.
    ['dlq replay', 1, /bad_time|timeStamp/],
    ['dlq drop', 0, new RegExp(letter)],
    ['simulate --url', 0, /200/],
  ];
  for (const [prefix, code, text] of expected) {
    const line = relay.find((one) => one.startsWith(prefix));
    if (line === undefined) {
      t.fail(`the README has no ${prefix}`);
      continue;
    }
    const done = await call(line);
    t.is(done.code, code, `${line}\n${done.stdout}${done.stderr}`);
    t.regex(done.stdout + done.stderr, text, line);
  }
});

test.serial('the commands about texts and pulls do what it says, beside the trial', async (t) => {
  const { env, up } = await openTrial(t, { SIMULATED_DEVICES: '0' });
  const site = siteOf(await up());
  const call = async (prefix: string): Promise<Finished> => {
    const line = relay.find((one) => one.startsWith(prefix)) ?? `the README has no ${prefix}`;
    const done = await run(words(line.replace('<integration>', site)), env);
    t.is(done.code, 0, `${line}\n${done.stdout}${done.stderr}`);
    return done;
  };
  t.regex((await call('simulate text')).stdout, /The vendor accepted the text/);
  await until('the activity log tells of the text', async () =>
    (await call('activity --limit')).stdout.includes('Message Delivered'),
  );
  t.regex((await call('why')).stdout, /the next tick runs it/);
  t.regex((await call('run pull_observations')).stdout, /"status": "complete"/);
  await until('the status tells of both', async () => {
    const { stdout } = await call('status');
    return /Texts to devices.*1 accepted/.test(stdout) && /pull_observations.*complete/.test(stdout);
  });
});

test.serial('the commands for separate services make the topics and start services that forward', async (t) => {
  const bundled = await startNode(['scripts/bundle.mjs']).exited;
  t.is(bundled, 0);
  const cluster = await startCluster([park], { form: 'bundle' });
  t.teardown(() => cluster.remove());
  for (const { child } of [...cluster.ingesters, ...cluster.forwarders].map((replica) => replica.process()))
    t.true(
      commands.some((line) => line.startsWith('node ') && child.spawnargs.includes(line.slice('node '.length))),
      child.spawnargs.join(' '),
    );
  for (const line of commands.filter((one) => one.startsWith('node services/'))) {
    const alone = startNode(words(line).slice(1));
    t.is(await alone.exited, 1, line);
    t.regex(alone.errors(), /^KAFKA_BROKERS is not set/, line);
  }
  t.true(relay.includes('topics create --replication 3') && relay.includes('topics check'));
  const check = await cluster.relay('topics', 'check');
  t.is(check.code, 0, check.stdout + check.stderr);
  await send(cluster, park, event(1));
  await untilStored(cluster, park, 1);
});

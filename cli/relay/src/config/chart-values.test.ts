import { readFileSync } from 'node:fs';
import { runnerEnv } from '@ranger-relay/action-runner';
import { pusherEnv } from '@ranger-relay/message-pusher';
import { forwarderEnv } from '@ranger-relay/observation-forwarder';
import { kafkaEnv, kvEnv, platformEnv, type EnvTable } from '@ranger-relay/runtime';
import { ingesterEnv } from '@ranger-relay/webhook-ingester';
import test from 'ava';
import { parse } from 'yaml';
import { upEnv } from '../up/config.ts';

const chart = new URL('../../../../charts/ranger-relay/', import.meta.url);
const values = readFileSync(new URL('values.yaml', chart), 'utf8');
/** Examples count as given: a comment with one # is YAML. */
const shown = parse(values.replaceAll(/^( *)# /gm, '$1'), { uniqueKeys: false }) as Record<
  string,
  Readonly<Record<'config' | 'secrets', Readonly<Record<string, unknown>> | null>>
>;
const template = (name: string): string => readFileSync(new URL(`templates/${name}`, chart), 'utf8');
const inPods = ['_env.tpl', 'deployments.yaml'].map(template).join('');
const [connections = ''] = template('_env.tpl').split('What a component requires');
/** Variables that the chart sets from other values: connections, their secrets, and what a template writes itself. */
const settings = new Set(
  [
    ...connections.matchAll(/^([A-Z_]+):|^ .*"([A-Z_]+)" \(/gm),
    ...inPods.matchAll(/^ *- (?:\{ )?name: ([A-Z_]+)/gm),
  ].map(([, name, secret]) => name ?? secret),
);
const namesIn = (block: string): readonly string[] =>
  [shown, shown[block]].flatMap((of) => Object.keys({ ...of?.['config'], ...of?.['secrets'] }));

for (const [block, table] of Object.entries({
  ingester: ingesterEnv,
  forwarder: forwarderEnv,
  pusher: pusherEnv,
  runner: runnerEnv,
}) as [string, EnvTable][])
  test(`values.yaml of the chart shows every variable of ${block}, and no other`, (t) => {
    const named = namesIn(block);
    const missing = Object.keys(table).filter((name) => !settings.has(name) && !named.includes(name));
    t.deepEqual(missing, []);
    const known = { ...table, ...kafkaEnv, ...kvEnv, ...platformEnv };
    t.deepEqual(
      named.filter((name) => !(name in known)),
      [],
    );
  });

interface Programs {
  readonly [key: string]: { readonly config?: Readonly<Record<string, unknown>> };
}

test('defaults that the chart reads itself are those of the programs', (t) => {
  const text = template('_helpers.tpl');
  const programs = parse(/define "ranger-relay\.programs" -\}\}\n([^]*?)\{\{- end/.exec(text)?.[1] ?? '') as Programs;
  const tables: Readonly<Record<string, EnvTable>> = { ingester: ingesterEnv, pusher: pusherEnv, runner: runnerEnv };
  for (const [block, table] of Object.entries({ ...tables, embedded: upEnv as EnvTable })) {
    const config = Object.entries(programs[block]?.config ?? {});
    t.true(config.length > 2, block);
    for (const [name, value] of config) t.is(String(value), table[name]?.default ?? '', `${block} ${name}`);
  }
});

test('values.yaml of the chart shows what only the one process has', (t) => {
  const named = namesIn('embedded');
  const own = Object.keys(upEnv).filter((name) => /_TYPE_SLUG$|_SERVICE_URL$|^SIMULATED_/.test(name));
  t.deepEqual(
    own.filter((name) => !named.includes(name)),
    [],
  );
  t.deepEqual(
    named.filter((name) => !(name in upEnv)),
    [],
  );
});

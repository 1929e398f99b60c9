import { readFileSync } from 'node:fs';
import { kafkaEnv, kvEnv, type EnvTable } from '@ranger-relay/runtime';
import test from 'ava';
import { actionsCliEnv } from '../actions/env.ts';
import { probeEnv } from '../probe/parts.ts';
import { topicsEnv } from '../topics/env.ts';
import { upEnv } from '../up/config.ts';

interface Facts {
  readonly parts: Readonly<
    Record<string, { readonly variables: Readonly<Record<string, { readonly default: string }>> }>
  >;
}

const facts = JSON.parse(
  readFileSync(new URL('../../../../charts/ranger-relay/facts.json', import.meta.url), 'utf8'),
) as Facts;

/** The tables of the commands that the chart's pods run. */
const tables: Readonly<Record<string, EnvTable>> = {
  topics: topicsEnv,
  'test-doctor': { ...actionsCliEnv, ...kafkaEnv, ...kvEnv },
  'test-probe': { ...probeEnv, ...kafkaEnv, ...kvEnv },
  'ranger-relay': upEnv,
};

for (const [part, table] of Object.entries(tables))
  test(`each variable that the chart gives to ${part} is one of its command, with the same default`, (t) => {
    const variables = facts.parts[part]?.variables ?? {};
    t.true(Object.keys(variables).length > 5);
    for (const [name, { default: value }] of Object.entries(variables)) {
      t.true(name in table, name);
      t.is(value, table[name]?.default ?? '', name);
    }
  });

test('the chart knows every variable of one process but those of bus and store, and what it sets itself', (t) => {
  const known = facts.parts['ranger-relay']?.variables ?? {};
  const own = new Set([
    'DATA_DIR',
    'STATUS_PORT',
    'INGESTER_PORT',
    'PUSHER_PORT',
    'RUNNER_PORT',
    'FORWARDER_PORT',
    'HEALTH_PORT',
    'HOST',
  ]);
  const missing = Object.keys(upEnv).filter(
    (name) => !(name in known) && !(name in kafkaEnv) && !(name in kvEnv) && !own.has(name),
  );
  t.deepEqual(missing, []);
});

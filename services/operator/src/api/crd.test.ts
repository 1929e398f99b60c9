import { readFile } from 'node:fs/promises';
import { isObject } from '@ranger-relay/errors';
import test from 'ava';
import { parse } from 'yaml';
import { crds } from './crd.ts';
import { rollbackSpecSchema } from './rollback.ts';
import { spanMs } from './fields.ts';
import { syncSpecSchema } from './sync-spec.ts';

type Json = Readonly<Record<string, unknown>>;

const file = (name: string): Promise<string> => readFile(new URL(`../../crds/${name}`, import.meta.url), 'utf8');

const schemaIn = (crd: unknown): Json => {
  const { spec } = crd as { spec: { versions: [{ schema: { openAPIV3Schema: Json } }] } };
  return spec.versions[0].schema.openAPIV3Schema;
};

/** Every schema below one, with where it is. */
const all = (schema: unknown, path: string): readonly (readonly [string, Json])[] => {
  if (!isObject(schema)) return [];
  const members = isObject(schema['properties']) ? Object.entries(schema['properties']) : [];
  return [
    [path, schema] as const,
    ...members.flatMap(([name, member]) => all(member, `${path}.${name}`)),
    ...all(schema['items'], `${path}[]`),
    ...all(schema['additionalProperties'], `${path}{}`),
  ];
};

for (const [name, crd] of Object.entries(crds())) {
  test(`${name} is what the schemas say; npm run charts writes it`, async (t) => {
    t.deepEqual(parse(await file(name)), JSON.parse(JSON.stringify(crd)));
  });

  test(`${name}: kubectl explain has a sentence for every field`, (t) => {
    const named = all(schemaIn(crd), '').filter(([path]) => path !== '.metadata' && !/[\]}]$/.test(path));
    t.true(named.length > 40);
    for (const [path, schema] of named) t.regex(String(schema['description']), /^\S.{7,}\.$/, path);
  });

  test(`${name}: the schema is structural`, (t) => {
    for (const [path, schema] of all(schemaIn(crd), '')) {
      t.is(typeof schema['type'], 'string', path);
      for (const foreign of [
        '$schema',
        '$ref',
        'anyOf',
        'oneOf',
        'allOf',
        'propertyNames',
        'const',
        'exclusiveMinimum',
      ])
        t.false(foreign in schema, `${path}: ${foreign}`);
      t.false(isObject(schema['properties']) && 'additionalProperties' in schema, path);
    }
  });

  test(`${name}: what people see, and where the status is`, (t) => {
    const { spec } = crd as { spec: { versions: [Json] } };
    const [version] = spec.versions;
    t.deepEqual(version['subresources'], { status: {} });
    t.deepEqual(
      (version['additionalPrinterColumns'] as readonly { name: string }[]).map((column) => column.name),
      ['Ready', 'Status', 'Age', 'Message'],
    );
    const conditions = all(schemaIn(crd), '').find(([path]) => path === '.status.conditions')?.[1];
    t.like(conditions, { 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['type'] });
  });
}

const sync = {
  bundle: { configMap: 'bundle' },
  output: { claimName: 'output' },
  site: { endpoint: 'site.example', token: { name: 'site' } },
};

test('what is left out is what the definition says it is', (t) => {
  t.like(syncSpecSchema.parse(sync), {
    mode: 'plan',
    retries: 2,
    suspend: false,
    driftCheckInterval: '24h',
    jobRetention: '720h',
    site: { token: { key: 'token' } },
  });
  t.like(rollbackSpecSchema.parse({ syncRef: { name: 'a' }, records: ['a/1/r.json'] }), {
    mode: 'plan',
    force: [],
    retries: 2,
  });
});

for (const [what, broken] of [
  ['a path that leads out of the volume', { bundle: { claim: { name: 'a', path: '../b' } } }],
  ['an option in place of a language', { language: '' }],
  ['an approval that is no hash', { approve: 'yes' }],
  ['an endpoint that is no host', { site: { ...sync.site, endpoint: '--help' } }],
  ['an endpoint with a login', { site: { ...sync.site, endpoint: 'https://a:b@site.example' } }],
  ['an interval that is none', { driftCheckInterval: 'daily' }],
] as const)
  test(`is refused: ${what}`, (t) => {
    t.false(syncSpecSchema.safeParse({ ...sync, ...broken }).success);
  });

test('a record of a rollback cannot lead out of the volume', (t) => {
  for (const record of ['../r.json', '/etc/passwd', 'a/../../b', 'a//b', ''])
    t.false(rollbackSpecSchema.safeParse({ syncRef: { name: 'a' }, records: [record] }).success, record);
});

test('spans are read in hours, minutes and seconds', (t) => {
  t.deepEqual(['1h30m', '90m', '45s', '0s', '2h'].map(spanMs), [5_400_000, 5_400_000, 45_000, 0, 7_200_000]);
});

test('no object of a definition is without members, which the API server would empty', (t) => {
  for (const [name, crd] of Object.entries(crds()))
    for (const [path, schema] of all(schemaIn(crd), ''))
      if (schema['type'] === 'object' && path !== '.metadata')
        t.true('properties' in schema || 'additionalProperties' in schema, `${name}${path}`);
});

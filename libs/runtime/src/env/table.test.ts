import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fc, testProp } from '@fast-check/ava';
import { isRelayError } from '@ranger-relay/errors';
import test, { type ExecutionContext } from 'ava';
import { commonEnv, envHelp, envMarkdown, kinds, kvEnv, parseEnv, platformEnv, type EnvTable } from '../index.ts';

const table = {
  PORT: { kind: kinds.port(), default: '8081', description: 'Port to listen on' },
  SLUG: { kind: kinds.text(), required: true, description: 'Name of the type' },
  HEALTH_PORT: { kind: kinds.port(), description: 'Second port' },
  CLIENT_SECRET: { kind: kinds.text(20), secret: true, description: 'Secret of the client' },
} as const satisfies EnvTable;

const canary = 'CANARY-that-is-far-too-long-for-this-variable';

const refusal = (t: ExecutionContext, source: NodeJS.ProcessEnv): string => {
  const error = t.throws(() => parseEnv(table, source));
  t.true(isRelayError(error, 'config_invalid'));
  return error?.message ?? '';
};

const fileWith = (t: ExecutionContext, text: string): string => {
  const folder = mkdtempSync(join(tmpdir(), 'relay-env-'));
  t.teardown(() => rmSync(folder, { recursive: true, force: true }));
  writeFileSync(join(folder, 'secret'), text);
  return join(folder, 'secret');
};

test('values are parsed, defaults filled in, the rest is absent, and the result is frozen', (t) => {
  const env = parseEnv(table, { SLUG: 'device', OTHER: 'x' });
  t.deepEqual({ ...env }, { PORT: 8081, SLUG: 'device', HEALTH_PORT: undefined, CLIENT_SECRET: undefined });
  t.true(Object.isFrozen(env));
  t.is(parseEnv(table, { SLUG: 'device', PORT: '0' }).PORT, 0);
});

test('an empty value counts as absent', (t) => {
  t.is(parseEnv(table, { SLUG: 'device', PORT: '', HEALTH_PORT: '' }).PORT, 8081);
  t.is(refusal(t, { SLUG: '' }), 'SLUG is not set; it takes a text of 1 to 2000 characters');
});

test('a wrong value is one sentence with the variable, what it got and what it takes', (t) => {
  t.is(refusal(t, { SLUG: 'a', PORT: 'http' }), 'PORT is "http", but takes a port from 0 to 65535');
  t.is(refusal(t, {}), 'SLUG is not set; it takes a text of 1 to 2000 characters');
});

const rules = (env: { readonly PORT: number }) => [
  { variable: 'PORT', problem: `is ${env.PORT}, but must not be` },
  { variable: 'SLUG', problem: 'is not to be set' },
];

test('all wrong variables are told at once, also those that break a rule between variables', (t) => {
  t.is(
    refusal(t, { PORT: 'http', HEALTH_PORT: 'none', CLIENT_SECRET: canary }),
    [
      'PORT is "http", but takes a port from 0 to 65535',
      'SLUG is not set; it takes a text of 1 to 2000 characters',
      'HEALTH_PORT is "none", but takes a port from 0 to 65535',
      'CLIENT_SECRET has a value that is not shown, but takes a text of 1 to 20 characters',
    ].join('\n'),
  );
  t.throws(() => parseEnv(table, { SLUG: 'a', PORT: 'http' }, rules), {
    message: 'PORT is "http", but takes a port from 0 to 65535\nSLUG is not to be set',
  });
  t.throws(() => parseEnv(table, { SLUG: 'a' }, rules), {
    message: 'PORT is 8081, but must not be\nSLUG is not to be set',
  });
});

test('a long wrong value is cut, and the user info of an address is masked', (t) => {
  t.true(refusal(t, { SLUG: 'a', PORT: 'x'.repeat(5_000) }).length < 250);
  t.false(refusal(t, { SLUG: 'a', PORT: `redis://u:${canary}@host` }).includes(canary));
});

test('a secret is never shown, from the environment or a file', (t) => {
  const sentence = 'CLIENT_SECRET has a value that is not shown, but takes a text of 1 to 20 characters';
  t.is(refusal(t, { SLUG: 'a', CLIENT_SECRET: canary }), sentence);
  t.is(refusal(t, { SLUG: 'a', CLIENT_SECRET_FILE: fileWith(t, canary) }), sentence);
});

test('a secret may come from a file, without its last line end', (t) => {
  for (const [text, value] of [
    ['abc\n', 'abc'],
    ['abc\r\n', 'abc'],
    ['abc', 'abc'],
    ['a\nb\n\n', 'a\nb\n'],
  ] as const)
    t.is(parseEnv(table, { SLUG: 'a', CLIENT_SECRET_FILE: fileWith(t, text) }).CLIENT_SECRET, value);
});

test('both forms at once, a missing file and an empty file are refused by name', (t) => {
  t.is(
    refusal(t, { SLUG: 'a', CLIENT_SECRET: 'x', CLIENT_SECRET_FILE: '/f' }),
    'CLIENT_SECRET and CLIENT_SECRET_FILE are both set; keep one of them',
  );
  t.is(
    refusal(t, { SLUG: 'a', CLIENT_SECRET_FILE: '/no/such/file' }),
    'CLIENT_SECRET_FILE names the file /no/such/file, which cannot be read',
  );
  t.regex(refusal(t, { SLUG: 'a', CLIENT_SECRET_FILE: fileWith(t, '') }), /^CLIENT_SECRET has a value that is not/);
});

test('only secrets have the form of a file', (t) => {
  t.is(parseEnv(table, { SLUG: 'a', PORT_FILE: '/no/such/file' }).PORT, 8081);
});

test('help and document name every variable with its form, default and purpose', (t) => {
  const help = envHelp(table);
  t.true(help.includes('  PORT\n      Port to listen on. Takes a port from 0 to 65535; default 8081.'));
  t.true(help.includes('SLUG\n      Name of the type. Takes a text of 1 to 2000 characters; required.'));
  t.true(help.includes('CLIENT_SECRET (or CLIENT_SECRET_FILE)\n'));
  t.true(help.includes('HEALTH_PORT\n      Second port. Takes a port from 0 to 65535; optional.'));
  const rows = envMarkdown(table).split('\n');
  t.is(rows.length, 2 + Object.keys(table).length);
  t.true(rows.includes('| `PORT` | a port from 0 to 65535 | `8081` | Port to listen on |'));
  t.true(
    rows.includes(
      '| `CLIENT_SECRET` or `CLIENT_SECRET_FILE` | a text of 1 to 20 characters | – | Secret of the client |',
    ),
  );
});

const shared: EnvTable = { ...commonEnv, ...kvEnv, ...platformEnv };

test('the shared variables have defaults that they take themselves, and one line of purpose', (t) => {
  t.notThrows(() => parseEnv(shared, {}));
  for (const [name, { description }] of Object.entries(shared)) {
    t.regex(name, /^[A-Z][A-Z0-9_]+$/);
    t.false(description.includes('\n') || description.endsWith('.') || description.includes('|'), name);
  }
});

test('what is a secret among the shared variables is marked', (t) => {
  const named = Object.entries(shared).filter(([name]) => /SECRET|PASSWORD|TOKEN$|_KEY$/.test(name));
  t.true(named.length > 0);
  for (const [name, { secret }] of named) t.true(secret, name);
});

testProp('no text in a secret is ever in the sentence', [fc.stringMatching(/^[A-Z0-9]{21,60}$/)], (t, value) => {
  t.false(refusal(t, { SLUG: 'a', CLIENT_SECRET: value }).includes(value));
});

import test from 'ava';
import { entryOf, registry, type ErrorCode } from './index.ts';
import { actionErrors } from './registry/actions.ts';
import { bundleErrors } from './registry/bundle.ts';
import { busErrors } from './registry/bus.ts';
import { cliErrors } from './registry/cli.ts';
import { commonErrors } from './registry/common.ts';
import { httpErrors } from './registry/http.ts';
import { kubeErrors } from './registry/kube.ts';
import { kvErrors } from './registry/kv.ts';
import { platformErrors } from './registry/platform.ts';
import { siteErrors } from './registry/site.ts';
import { storeErrors } from './registry/store.ts';
import { syncErrors } from './registry/sync.ts';
import { vendorErrors } from './registry/vendor.ts';
import { webhookErrors } from './registry/webhook.ts';

const parts = [
  actionErrors,
  bundleErrors,
  busErrors,
  cliErrors,
  commonErrors,
  httpErrors,
  kubeErrors,
  kvErrors,
  platformErrors,
  siteErrors,
  storeErrors,
  syncErrors,
  vendorErrors,
  webhookErrors,
] as const;
const all = Object.entries(registry);

test('no code is registered twice and none is left out', (t) => {
  const codes = parts.flatMap((part) => Object.keys(part));
  t.deepEqual(codes.toSorted(), Object.keys(registry).toSorted());
  t.is(new Set(codes).size, codes.length);
});

test('codes are words in snake case', (t) => {
  for (const [code] of all) t.regex(code, /^[a-z]+(_[a-z]+)*$/);
});

test('every entry has a text, a first check, a known consequence and an error status', (t) => {
  for (const [code, entry] of all) {
    t.true(entry.text.length > 0 && entry.text.length <= 200, code);
    t.true(entry.check.endsWith('.'), `${code}: the check is a sentence`);
    t.false(entry.text.endsWith('.'), `${code}: texts are put into sentences of others`);
    t.true(['retry', 'dead', 'skip', 'alert'].includes(entry.next), code);
    t.true(Number.isInteger(entry.status) && entry.status >= 400 && entry.status <= 599, code);
  }
});

test('places in texts are plain words in braces, and braces are nothing else', (t) => {
  for (const [code, { text }] of all) t.notRegex(text.replaceAll(/\{[a-z]+\}/g, ''), /[{}]/, code);
});

test('what ends in the dead letters never asks the sender to repeat it', (t) => {
  for (const [code, entry] of all) {
    if (entry.next !== 'dead') continue;
    t.not(entry.status, 503, code);
    t.not(entry.status, 429, code);
  }
});

test('only failures of one integration are confined to it', (t) => {
  t.deepEqual(all.flatMap(([code, { confined }]) => (confined ? [code] : [])).toSorted(), [
    'api_key_refused',
    'integration_gone',
    'refusals_held',
  ]);
});

test('nobody can change the registry', (t) => {
  t.true(Object.isFrozen(registry));
  t.is(entryOf('internal'), registry.internal);
});

const rejectedCodes: readonly ErrorCode[] = [
  'invalid_json',
  'not_an_envelope',
  'not_an_object',
  'missing_imei',
  'missing_message_code',
  'bad_time',
  'event_too_large',
];

test('every reason of the rejected list is stored as a dead letter', (t) => {
  for (const code of rejectedCodes) t.is(entryOf(code).next, 'dead', code);
});

test('answers of the webhook have the status the vendor is promised', (t) => {
  const expected: Partial<Record<ErrorCode, number>> = {
    webhook_unauthorized: 401,
    webhook_no_integration: 404,
    integration_unknown: 404,
    body_timeout: 408,
    body_too_large: 413,
    too_many_events: 413,
    body_encoded: 415,
    invalid_json: 422,
    not_an_envelope: 422,
    too_busy: 503,
    bus_unavailable: 503,
    kv_unavailable: 503,
  };
  for (const [code, status] of Object.entries(expected)) t.is(entryOf(code as ErrorCode).status, status, code);
});

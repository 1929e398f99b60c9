import test from 'ava';
import { letter, world } from '../test/world.ts';

test('every field is shown and the body is decoded', async (t) => {
  const { run, store } = await world(t);
  await store(letter({ headers: { traceparent: '00-abc' } }));
  const { code, out } = await run('show', 'letter-1');
  t.is(code, 0);
  for (const text of [
    /^state +live$/m,
    /^kind +message$/m,
    /^detail +The platform refuses/m,
    /^header traceparent +00-abc$/m,
  ])
    t.regex(out, text);
  t.regex(out, /^origin +source-events, partition 3, offset 17$/m);
  t.regex(out, /"text": "Back at noon"/);
});

test('a body that is text but not JSON is shown as it is', async (t) => {
  const { run, store } = await world(t);
  await store(letter({ kind: 'webhook_body', body: '{"Events":[' }));
  t.true((await run('show', 'letter-1')).out.endsWith('body\n{"Events":['));
});

test('a body that is no text is shown as base64', async (t) => {
  const { run, store } = await world(t);
  const bytes = Buffer.from([0xff, 0xfe, 0x00]).toString('base64');
  await store(letter({ body_base64: bytes }));
  t.true((await run('show', 'letter-1')).out.endsWith(`body (not text, base64)\n${bytes}`));
});

test('a body that was cut is said to be', async (t) => {
  const { run, store } = await world(t);
  await store(letter({ truncated: true, bytes: 5_000_000, sha256: 'ab' }));
  const { out } = await run('show', 'letter-1');
  t.regex(out, /only its start is kept/);
  t.regex(out, /^bytes +5000000$/m);
});

test('secrets in headers stay masked', async (t) => {
  const { run, store } = await world(t);
  await store(letter({ headers: { 'x-outbound-auth-token': 'canary-token', authorization: 'canary-auth' } }));
  for (const form of ['text', 'json']) t.notRegex((await run('show', 'letter-1', '--output', form)).out, /canary/);
});

test('a letter that was dropped is still shown, with when', async (t) => {
  const { run, store } = await world(t);
  await store(letter());
  await run('drop', 'letter-1');
  t.regex((await run('show', 'letter-1')).out, /^state +dropped at 2026-01-01T/m);
});

test('as JSON the letter is whole, with its state and decoded body', async (t) => {
  const { run, store } = await world(t);
  await store(letter({ kind: 'webhook_body', body: 'nonsense' }));
  const shown = JSON.parse((await run('show', 'letter-1', '--output', 'json')).out) as object;
  t.like(shown, { state: 'live', ...letter({ kind: 'webhook_body', body: 'nonsense' }), body_text: 'nonsense' });
});

test('an id that nothing has ends with 1 and a sentence', async (t) => {
  const { run } = await world(t);
  const { code, err } = await run('show', 'nobody');
  t.is(code, 1);
  t.regex(err, /There is no dead letter nobody/);
});

test('escape sequences in a body do not reach the terminal', async (t) => {
  const { run, store } = await world(t);
  await store(letter({ kind: 'webhook_body', body: 'a\u001B]0;title\u0007' }));
  t.false((await run('show', 'letter-1')).out.includes('\u001B'));
});

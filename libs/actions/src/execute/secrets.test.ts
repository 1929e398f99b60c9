import test from 'ava';
import { z } from 'zod';
import { ActionFailure } from '../index.ts';
import { action, type Handler } from '../test/actions.ts';
import { harness } from '../test/harness.ts';

const [own, other, named] = ['canary-own-1', 'canary-other/2', 'canary-named-3'];
const config = z.object({
  secret_word: z.string().optional(),
  inner: z.object({ code: z.string().meta({ secret: true }) }),
});

const leaky = (run: Handler) => {
  const w = harness({
    action_work: action('generic', run, { config }),
    action_auth: action('auth', undefined, { config: z.object({ pin: z.string().meta({ secret: true }) }) }),
  });
  w.platform.configs = { work: { inner: { code: own }, api_key: named }, auth: { pin: other } };
  return w;
};

const hidden = (t: { false(value: boolean, message?: string): unknown }, value: unknown): void => {
  for (const canary of [own, other, named, encodeURIComponent(other)])
    t.false(JSON.stringify(value).includes(canary), canary);
};

test('no secret of the configuration reaches an entry, a report or the log, whatever the handler does with it', async (t) => {
  const w = leaky(async ({ config: read, configOf, feed, log }) => {
    const all = `${JSON.stringify(read)} ${JSON.stringify(await configOf('auth'))} ${named}`;
    feed.warning(`title ${all}`, { all, [all]: 1 });
    log.info({ secret: own, plain: all, err: new Error(all) }, `said ${all}`);
    log.child({ all }).warn(new Error(all));
    throw new ActionFailure(`refused ${all}`, {
      transient: false,
      request: { verb: 'POST', url: `https://u:p@host/x?key=${encodeURIComponent(other)}`, data: { all } },
      response: { status: 403, body: `<b>${all}</b>` },
    });
  });
  const outcome = await w.run('work');
  t.is(outcome.kind, 'failed');
  hidden(t, outcome);
  hidden(t, w.entries);
  hidden(t, w.lines);
  t.deepEqual(
    w.entries.map(({ kind }) => kind),
    ['Started', 'CustomLog', 'Failed'],
  );
  t.like(w.entries[0]?.payload ?? {}, { config_data: { inner: { code: '**********' }, api_key: '**********' } });
});

test('entries hide what a result shows, the caller gets it as it is', async (t) => {
  const w = leaky(() => ({ echo: own }));
  t.deepEqual(await w.run('work'), { kind: 'complete', result: { echo: own } });
  hidden(t, w.entries);
});

test('problems of a configuration do not show it', async (t) => {
  const w = leaky(() => null);
  w.platform.configs = { work: { inner: { code: [own] } } };
  const outcome = await w.run('work');
  t.is(outcome.kind, 'refused');
  hidden(t, outcome);
});

test('request and answer are told when the handler knows them', async (t) => {
  const w = leaky(() =>
    Promise.reject(
      new ActionFailure('no', {
        transient: true,
        type: 'rate_limit',
        title: 'Vendor',
        request: { verb: 'POST', url: 'https://host/x', data: { n: 1 } },
        response: { status: 429, body: { Code: 2 } },
        retryAfterMs: 7_000,
      }),
    ),
  );
  const outcome = await w.run('work');
  const told = {
    error: 'Rate limited — no (HTTP 429)',
    request_verb: 'POST',
    request_url: 'https://host/x',
    request_data: '{"n":1}',
    server_response_status: 429,
    server_response_body: '{"Code":2}',
  };
  t.like(outcome, {
    kind: 'failed',
    transient: true,
    retryAfterMs: 7_000,
    report: { ...told, error_type: 'rate_limit' },
  });
  t.like(w.entries.at(-1)?.payload ?? {}, told);
});

import type { ConfigEvent, DeadLetter } from '@ranger-relay/contracts';
import { RelayError } from '@ranger-relay/errors';
import { testContext } from '@ranger-relay/runtime/testing';
import { createActionApp } from '../http/app.ts';
import { bearerAuth } from '../http/auth/authenticate.ts';
import type { ActionAppOptions } from '../http/dependencies.ts';
import { harness, type HarnessOptions } from './harness.ts';

/** A token that is taken. */
export const token = 'right-token';

/** An answer with its parsed body. */
export interface Answer {
  readonly status: number;
  readonly json: unknown;
  readonly headers: Headers;
}

/** Bytes or text as base64. */
export const base64 = (value: unknown): string =>
  Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64');

/** A push envelope around data. */
export const envelope = (data: unknown, message: object = {}, more: object = {}): object => ({
  message: { data: base64(data), attributes: {}, messageId: 'm1', publishTime: '2026-01-01T00:00:00.000Z', ...message },
  subscription: 's',
  ...more,
});

/** A world with the HTTP side before it. */
export const httpHarness = (
  handlers: Readonly<Record<string, unknown>>,
  app: Partial<ActionAppOptions> = {},
  options: HarnessOptions = {},
) => {
  const w = harness(handlers, options);
  const applied: ConfigEvent[] = [];
  const store = { down: false };
  const context = testContext({ clock: w.clock, random: w.random, log: w.log });
  const hono = createActionApp(w.runtime, {
    context,
    bus: w.bus,
    authenticate: bearerAuth([token, 'second-token']),
    applyConfigEvent: async (event) => {
      if (store.down) throw new RelayError('kv_unavailable', { details: { reason: 'test' } });
      applied.push(event);
    },
    topics: { commands: 'site-actions-topic', configEvents: 'config-events' },
    title: 'Site connector',
    version: '0.1.0',
    ...app,
  });

  const call = async (path: string, init: RequestInit = {}): Promise<Answer> => {
    const headers = { authorization: `Bearer ${token}`, ...(init.headers as Record<string, string>) };
    const answer = await w.settled(Promise.resolve(hono.request(path, { ...init, headers })));
    return { status: answer.status, headers: answer.headers, json: await answer.json() };
  };

  return {
    ...w,
    hono,
    context,
    applied,
    store,
    call,
    post: (path: string, body: unknown, headers: Record<string, string> = {}): Promise<Answer> =>
      call(path, { method: 'POST', headers, body: typeof body === 'string' ? body : JSON.stringify(body) }),
    letters: (): DeadLetter[] => w.bus.values('dead-letters') as unknown as DeadLetter[],
    commands: () => w.bus.values('site-actions-topic'),
  };
};

/** An HTTP world of one test. */
export type HttpHarness = ReturnType<typeof httpHarness>;

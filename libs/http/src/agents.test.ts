import { once } from 'node:events';
import { request } from 'node:http';
import type { Socket } from 'node:net';
import { blockListOf } from '@ranger-relay/runtime';
import test from 'ava';
import { createAgents } from './agents.ts';
import { AddressRefusal, createGuard, type Guard } from './guard.ts';
import { serveTcp } from './testing/loopback.ts';

const open = createGuard(blockListOf(['127.0.0.0/8']));

test('a peer that the guard refuses gets not a single byte', async (t) => {
  const got: Buffer[] = [];
  const accepted = Promise.withResolvers<Socket>();
  const port = await serveTcp(t, (socket) => {
    accepted.resolve(socket);
    socket.on('data', (chunk: Buffer) => got.push(chunk));
  });
  const refusing: Guard = { ...open, refusal: (_, address) => new AddressRefusal('address', address) };
  const agents = createAgents({ guard: refusing, maxSockets: 1 });
  t.teardown(() => agents.close());
  const call = request({ host: '127.0.0.1', port, agent: agents.http, method: 'POST' });
  call.end('a secret body');
  const [error] = (await once(call, 'error')) as [unknown];
  t.true(error instanceof AddressRefusal);
  const socket = await accepted.promise;
  if (!socket.destroyed) await once(socket, 'close');
  t.deepEqual(got, []);
});

test('the addresses of a name are tried in turn until one answers', async (t) => {
  const port = await serveTcp(t, (socket) => socket.once('data', () => socket.end('HTTP/1.0 200 OK\r\n\r\n')));
  const agents = createAgents({
    guard: open,
    maxSockets: 1,
    resolve: () =>
      Promise.resolve([
        { address: '127.0.0.2', family: 4 },
        { address: '127.0.0.1', family: 4 },
      ]),
  });
  t.teardown(() => agents.close());
  const call = request({ host: 'two.example', port, agent: agents.http }).end();
  const [answer] = (await once(call, 'response')) as [{ statusCode: number; resume(): void }];
  answer.resume();
  t.is(answer.statusCode, 200);
});

test('the wanted family is passed on, and both are looked up without one', async (t) => {
  const asked: number[] = [];
  const agents = createAgents({
    guard: open,
    maxSockets: 4,
    resolve: (_, family) => {
      asked.push(family);
      return Promise.reject(new Error('none'));
    },
  });
  t.teardown(() => agents.close());
  for (const family of [undefined, 4, 6]) {
    const call = request({ host: 'some.example', port: 9, agent: agents.http, ...(family ? { family } : {}) }).end();
    await once(call, 'error');
  }
  t.deepEqual(asked, [0, 4, 6]);
});

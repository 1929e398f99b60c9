import { Agent } from 'node:http';
import { bodyOf, commandOf } from './bodies.ts';
import type { Bodies, Load, Order } from './load.ts';
import { post } from './post.ts';

let counter = 0;

const nextBody = (bodies: Bodies, connection: number): string => {
  const number = counter;
  if (bodies.kind === 'commands') {
    counter += 1;
    return commandOf(bodies.integrationIds[connection % bodies.integrationIds.length] ?? '', bodies.actionId, number);
  }
  counter += bodies.eventsPerPost;
  return bodyOf(connection, number, bodies.eventsPerPost);
};

const run = async (order: Order): Promise<Load> => {
  const { headers } = order;
  const url = new URL(order.url);
  const agent = new Agent({ keepAlive: true, maxSockets: order.connections });
  const latencies: number[] = [];
  let failed = 0;
  const start = performance.now();
  const end = start + order.seconds * 1000;
  const gapMs = order.rate ? (1000 * order.connections) / order.rate : 0;

  const connection = async (index: number): Promise<void> => {
    let due = start + (gapMs * index) / order.connections;
    while (performance.now() < end) {
      if (gapMs > 0) {
        const wait = due - performance.now();
        if (wait > 0) await new Promise((resolve) => setTimeout(resolve, wait));
        due += gapMs;
      }
      const body = nextBody(order.bodies, index);
      const sent = gapMs > 0 ? Math.min(due - gapMs, performance.now()) : performance.now();
      if ((await post({ url, headers, body }, agent)) === 200) latencies.push(performance.now() - sent);
      else failed += 1;
    }
  };

  await Promise.all(Array.from({ length: order.connections }, (_, index) => connection(index)));
  agent.destroy();
  return {
    posts: latencies.length,
    failed,
    seconds: (performance.now() - start) / 1000,
    latencies: latencies.sort((a, b) => a - b),
  };
};

process.on('message', (order: Order) => {
  void run(order).then((result) => process.send?.(result));
});
process.send?.('ready');

import { setTimeout as wait } from 'node:timers/promises';
import type { ExecutionContext } from 'ava';
import { manualClock, recordingLogger, seededRandom, testContext } from '@ranger-relay/runtime/testing';
import { compose } from '../compose.ts';
import { parseOperatorConfig } from '../config.ts';
import { connect } from '../testing/connect.ts';
import { startCluster } from './cluster.ts';

const spec = {
  bundle: { configMap: 'bundle' },
  output: { claimName: 'output' },
  mode: 'apply',
  approve: 'auto',
};
const syncPath = '/apis/ranger-relay.dev/v1alpha1/namespaces/park/patrolsyncs';

/** A token of a site: it must never be seen outside its Secret. */
export const canary = 'canary-7d1f0c';

/** A cluster, a clock that all share, and operators as their processes would be. */
export const startOperators = async (t: ExecutionContext) => {
  const clock = manualClock();
  const cluster = await startCluster(t, () => clock.now());
  const { server } = cluster;
  /** Makes the Secret of a site, called as its host. */
  const giveToken = (host: string): void =>
    void server.call('POST', '/api/v1/namespaces/park/secrets', {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: host, namespace: 'park', labels: { 'ranger-relay.dev/site': host } },
      data: { token: Buffer.from(canary).toString('base64') },
    });
  giveToken('site.example');

  const start = async (seed = 1) => {
    const { log, lines } = recordingLogger();
    const context = testContext({ clock, random: seededRandom(seed), log });
    const client = await connect(server.url, context);
    const config = parseOperatorConfig({ JOB_IMAGE: 'sync-tool:1', PORT: '0', HOST: '127.0.0.1' });
    const { port } = await compose(context, { client, namespace: 'operators' }, config);
    t.teardown(() => stop({ context }).catch(() => undefined));
    return { context, port, lines };
  };

  const until = async (what: string, holds: () => boolean, beside: () => void = () => undefined): Promise<void> => {
    for (let n = 0; n < 3_000; n += 1) {
      if (holds()) return;
      beside();
      await wait(2);
      await clock.advance(250);
    }
    throw new Error(`never: ${what}`);
  };

  const stop = async ({ context }: Pick<Awaited<ReturnType<typeof start>>, 'context'>): Promise<void> => {
    let stopped = false;
    void context.lifecycle.stop().then(() => (stopped = true));
    await until('the end', () => stopped);
  };

  const runJobs = (): void => {
    for (const job of cluster.running()) cluster.finish(job, 'ok');
  };
  const ready = (name = 'north'): string => {
    const status = (server.call('GET', `${syncPath}/${name}`)['status'] ?? {}) as {
      conditions?: { type: string; status: string; reason: string }[];
    };
    const found = status.conditions?.find(({ type }) => type === 'Ready');
    return `${found?.status} ${found?.reason}`;
  };
  const make = (name = 'north', endpoint = 'site.example', more: object = {}): void =>
    void server.call('POST', syncPath, {
      apiVersion: 'ranger-relay.dev/v1alpha1',
      kind: 'PatrolSync',
      metadata: { name, namespace: 'park' },
      spec: { ...spec, site: { endpoint, token: { name: endpoint } }, ...more },
    });
  return { cluster, clock, start, until, stop, runJobs, ready, make, giveToken };
};

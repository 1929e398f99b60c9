import { mkdir } from 'node:fs/promises';
import { RelayError } from '@ranger-relay/errors';
import { mockServer } from '@ranger-relay/http/testing';
import test, { type ExecutionContext } from 'ava';
import { writeMarker } from '../data-dir/marker.ts';
import { temporaryFolder } from '../data-dir/test/folder.ts';
import { overview } from '../status/test/harness.ts';
import { foldNeighbour, whyNone } from './neighbour.ts';

const id = '5e0c3c5e-0000-4000-8000-000000000001';

/** The status page of another `up`, whose other ports are 1 and 2. */
const neighbour = async (t: ExecutionContext) => {
  const dataDir = await temporaryFolder(t);
  const up = { id, data_dir: dataDir, platform: 'real' as const };
  const { port } = await mockServer(t, () => Response.json({ ...overview().status, up }));
  const [ingester, forwarder] = ['http://127.0.0.1:1', 'http://127.0.0.1:2'];
  const addresses = { status: `http://127.0.0.1:${port}`, ingester, forwarder, pusher: null, runner: null };
  await mkdir(dataDir, { recursive: true });
  await writeMarker(dataDir, {
    version: 1,
    instance_id: id,
    created_at: '2026-01-01T00:00:00.000Z',
    bus_since: null,
    kv_since: null,
    platform: 'real',
    owner: { id, pid: 4_242, addresses },
  });
  return { port, dataDir };
};

const wantedAt = (port: number) =>
  Object.entries({ STATUS_PORT: port, INGESTER_PORT: 1, FORWARDER_PORT: 2, RUNNER_PORT: 3 }).map(
    ([portVariable, at]) => ({ host: '127.0.0.1', port: at, portVariable }),
  );

const taken = (...variables: string[]) => variables.map((variable) => ({ variable, problem: 'is taken' }));

test('ports that another `up` has are one line, which names it; a port of somebody else has its own', async (t) => {
  const { port, dataDir } = await neighbour(t);
  const problems = taken('STATUS_PORT', 'INGESTER_PORT', 'FORWARDER_PORT', 'RUNNER_PORT');
  const [first, ...others] = await foldNeighbour(wantedAt(port), problems);
  const words = [
    `another ranger-relay runs (DATA_DIR ${dataDir}, pid 4242)`,
    'STATUS_PORT, INGESTER_PORT, FORWARDER_PORT',
  ];
  for (const each of words) t.true(first?.problem.includes(each), first?.problem);
  t.deepEqual(others, taken('RUNNER_PORT'));
});

test('ports of whatever is no `up` keep a line each', async (t) => {
  const { port } = await mockServer(t, () => new Response('hello'));
  const problems = taken('STATUS_PORT', 'INGESTER_PORT');
  t.deepEqual(await foldNeighbour(wantedAt(port), problems), problems);
});

test('where no `up` runs on a directory, the one that runs here is named by what to type', async (t) => {
  const { port, dataDir } = await neighbour(t);
  const none = new RelayError('up_not_running', { details: { path: '/data', problem: 'none runs there' } });
  const { message } = await whyNone(none, '/data', { STATUS_PORT: String(port) });
  t.true(message.endsWith(`none runs there; another one runs here: set DATA_DIR=${dataDir} to ask it`), message);
});

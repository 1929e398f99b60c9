import type { V1Job } from '@kubernetes/client-node';
import type { KubeObject, SyncStatus } from '@ranger-relay/operator';
import { type ApiServer, type Json, startApiServer } from '@ranger-relay/operator/testing';

const group = 'ranger-relay.dev';
const version = 'v1alpha1';
type Job = KubeObject<V1Job>;
const jobs = 'batch/v1/jobs';
const syncs = `${group}/${version}/patrolsyncs`;
const inPark = (root: string, name = ''): string => `/${root}${name === '' ? '' : `/${name}`}`;
const hash = 'a'.repeat(64);

/** The last words of a Job whose tool had nothing to complain of. */
const summaryOf = (args: readonly string[]): object => {
  const command = ['patrol-datamodel', 'apply', 'verify'].find((each) => args.includes(each)) ?? '';
  const counts = { 'patrol-datamodel': { created: 14, differences: 14 }, apply: { created: 14 } }[command];
  return {
    format: 'patrol-datamodel-summary',
    format_version: '1.0',
    tool: 'sync-tool bench',
    command,
    dry_run: command === 'patrol-datamodel',
    outcome: 'done',
    exit: 0,
    reason: null,
    message: null,
    site: 'site.example',
    plan_hash: hash,
    counts: counts ?? { differences: 0 },
    steps: null,
    failures: [],
    people_deactivated: command === 'patrol-datamodel' ? 0 : null,
    record: command === 'apply' ? 'patrol-datamodel-run-20260101T000000Z.json' : null,
    checklist: 'checklist.md',
    plan: null,
    report: null,
    problems: { items: [], left_out: 0 },
    open: { items: [{ who: 'site_admin', text: 'Pick an icon' }], left_out: 0 },
  };
};

/** Runs a Job to its end at once: its pod, its last words, its status. */
const finish = (server: ApiServer, { metadata, spec }: Job): void => {
  const { labels, annotations } = spec?.template.metadata ?? {};
  const pods = inPark('api/v1/namespaces/park/pods');
  const name = `${metadata.name}-pod`;
  const own = { 'batch.kubernetes.io/job-name': metadata.name, 'batch.kubernetes.io/controller-uid': metadata.uid };
  const pod = { name, namespace: 'park', annotations, labels: { ...labels, ...own } };
  server.call('POST', pods, { apiVersion: 'v1', kind: 'Pod', metadata: pod });
  const message = JSON.stringify(summaryOf(spec?.template.spec?.containers[0]?.args ?? []));
  const containerStatuses = [{ state: { terminated: { message } } }];
  server.call('PATCH', `${pods}/${name}/status`, { status: { phase: 'Succeeded', containerStatuses } });
  const status = { conditions: [{ type: 'Complete', status: 'True' }] };
  server.call('PATCH', `${inPark('apis/batch/v1/namespaces/park/jobs', metadata.name)}/status`, { status });
};

/** A cluster in memory whose Jobs end as soon as they may begin. */
export interface OperatorHarness {
  readonly url: string;
  /** Makes so many objects, each for a site of its own. */
  make(count: number): void;
  /** How many of them are Ready. */
  ready(): number;
  /** Calls since the start, by what they are: changes and single objects, watches, lists. */
  calls(): { readonly all: number; readonly watches: number; readonly lists: number };
  /** Changes of objects since the start. */
  changes(): number;
  close(): Promise<void>;
}

const isList = ({ method, path, watch }: { method: string; path: string; watch: boolean }): boolean =>
  method === 'GET' && !watch && /\/(patrolsyncs|patrolsyncrollbacks|jobs|pods|leases)$/.test(path);

const isReady = (object: Json): boolean =>
  ((object as { status?: SyncStatus }).status?.conditions ?? []).some(
    ({ type, status }) => type === 'Ready' && status === 'True',
  );

/** Starts such a cluster. */
export const startOperatorHarness = async (): Promise<OperatorHarness> => {
  const ends: (() => unknown)[] = [];
  const server = await startApiServer({ teardown: (end) => void ends.push(end) });
  const { store } = server;
  store.onEntry(({ collection, after }) => {
    const job = after as unknown as Job | undefined;
    if (collection !== jobs || !job || job.spec?.suspend || job.status) return;
    // The change that released it must be published first.
    setImmediate(() => finish(server, job));
  });
  const giveToken = (host: string): void =>
    void server.call('POST', inPark('api/v1/namespaces/park/secrets'), {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: host, namespace: 'park', labels: { 'ranger-relay.dev/site': host } },
      data: { token: 'eA==' },
    });

  return {
    url: server.url,
    make(count) {
      for (let n = 0; n < count; n += 1) {
        giveToken(`site-${n}.example`);
        server.call('POST', inPark(`apis/${group}/${version}/namespaces/park/patrolsyncs`), {
          apiVersion: `${group}/${version}`,
          kind: 'PatrolSync',
          metadata: { name: `park-${n}`, namespace: 'park' },
          spec: {
            bundle: { claim: { name: 'bundles', path: `park-${n}` } },
            output: { claimName: 'output' },
            site: { endpoint: `site-${n}.example`, token: { name: `site-${n}.example`, key: 'token' } },
            mode: 'apply',
            approve: 'auto',
          },
        });
      }
    },
    ready: () => store.all(syncs).filter(isReady).length,
    calls: () => ({
      all: server.requests.length,
      watches: server.requests.filter(({ watch }) => watch).length,
      lists: server.requests.filter(isList).length,
    }),
    changes: () => store.version(),
    async close() {
      for (const end of ends) await end();
    },
  };
};

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { Agent, request } from 'node:http';
import { createInterface } from 'node:readline';
import type { ExecutionContext } from 'ava';
import { until } from './until.ts';

/** One answer of a health route. Times on the clock of `performance`, ms. */
export interface Probe {
  readonly service: string;
  readonly path: '/livez' | '/readyz';
  readonly at: number;
  readonly ms: number;
  /** 0 when there was no answer within 2 s. */
  readonly status: number;
  readonly body: string;
}

/** Asks the health routes of services all the time, each over a connection that stays open. */
export interface Probes {
  readonly all: readonly Probe[];
  /** The same of a server that does nothing else, beside them. */
  readonly bare: readonly Probe[];
  /** Waits until a service says that it is ready, or not; ms since `from`. */
  readiness(service: string, ready: boolean, from: number, timeoutMs: number): Promise<number>;
  /** Readiness that a service told last: what it lacks. */
  failing(service: string): string[];
  /** Answers of a route other than 200. */
  refusals(path: Probe['path']): readonly Probe[];
}

/** Statistics of many probes, ms. */
export interface HealthReport {
  readonly probes: number;
  /** Answers of liveness other than 200. */
  readonly notAlive: number;
  readonly p95: number;
  /** Longest answer, and how much longer it was than the longest of a bare server in the same time. */
  readonly max: number;
  readonly maxBeyondBare: number;
  /** Largest median of a service in three seconds, beyond that of a bare server: a busy machine delays both, a blocked loop one. */
  readonly worstStretch: number;
}

const everyMs = 50;
const patienceMs = 2_000;
const stretchMs = 3_000;
/** A stretch with fewer probes says nothing of its own. */
const minProbes = 5;

const ask = (agent: Agent, url: string): Promise<{ status: number; body: string; ms: number }> =>
  new Promise((resolve) => {
    const from = performance.now();
    let body = '';
    const end = (status: number): void => resolve({ status, body, ms: performance.now() - from });
    const call = request(url, { agent, timeout: patienceMs }, (answer) => {
      answer.setEncoding('utf8').on('data', (text: string) => (body += text));
      answer.on('end', () => end(answer.statusCode ?? 0)).on('error', () => end(0));
    });
    call.on('error', () => end(0)).on('timeout', () => call.destroy());
    call.end();
  });

/** A server that only answers: its delay is the delay of the machine. */
interface BareServer {
  readonly url: string;
  end(): void;
}

const source =
  "require('http').createServer((_, a) => a.end('{}')).listen(0, '127.0.0.1', function () { console.log(this.address().port) })";

/** Starts one in a process of its own. */
const startBareServer = async (): Promise<BareServer> => {
  const child = spawn(process.execPath, ['-e', source], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [port] = (await once(createInterface({ input: child.stdout }), 'line')) as [string];
  return { url: `http://127.0.0.1:${port}`, end: () => void child.kill('SIGKILL') };
};

/** Starts asking until the test ends; the connections are warm from the second answer on. */
export const probesFor = (
  t: Pick<ExecutionContext, 'teardown'>,
  replicas: readonly { readonly service: string; readonly url: string }[],
): Probes => {
  const all: Probe[] = [];
  const bareOnes: Probe[] = [];
  const ending = { stopped: false };

  const watch = async (
    { service, url }: Pick<Probe, 'service'> & { readonly url: string },
    into = all,
  ): Promise<void> => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    while (!ending.stopped) {
      for (const path of ['/livez', '/readyz'] as const) {
        const at = performance.now();
        into.push({ service, path, at, ...(await ask(agent, url + path)) });
      }
      await new Promise((resolve) => setTimeout(resolve, everyMs));
    }
    agent.destroy();
  };
  const watchBare = async (): Promise<void> => {
    const bare = await startBareServer();
    await watch({ service: 'bare', url: bare.url }, bareOnes);
    bare.end();
  };
  const watching = Promise.all([watchBare(), ...replicas.map((replica) => watch(replica))]);
  t.teardown(async () => {
    ending.stopped = true;
    await watching;
  });

  const last = (service: string): Probe | undefined =>
    all.findLast((probe) => probe.service === service && probe.path === '/readyz');

  return {
    all,
    bare: bareOnes,
    async readiness(service, ready, from, timeoutMs) {
      const status = ready ? 200 : 503;
      const found = (): Probe | undefined =>
        all.find(
          (probe) =>
            probe.service === service && probe.path === '/readyz' && probe.at >= from && probe.status === status,
        );
      await until(`${service} says ${ready ? 'ready' : 'not ready'}`, () => found() !== undefined, timeoutMs);
      return (found()?.at ?? 0) - from;
    },
    failing: (service) => (JSON.parse(last(service)?.body ?? '{}') as { failing?: string[] }).failing ?? [],
    refusals: (path) => all.filter((probe) => probe.path === path && probe.status !== 200),
  };
};

/** How long a bare server delayed its caller between two moments, ms: the delay that the machine causes. */
export const heldUp = ({ bare }: Pick<Probes, 'bare'>, from: number, to: number): number =>
  bare.reduce((sum, { at, ms }) => sum + Math.max(0, Math.min(at + ms, to) - Math.max(at, from)), 0);

/** The time in which this part of all answers came; Infinity when there was none. */
const share = (times: readonly number[], part: number): number =>
  [...times].sort((a, b) => a - b)[Math.floor(times.length * part)] ?? Infinity;

const median = (probes: readonly Probe[]): number =>
  share(
    probes.map(({ ms }) => ms),
    0.5,
  );

const worstStretchOf = (own: readonly Probe[], bare: readonly Probe[]): number => {
  const stretchOf = ({ at }: Probe): number => Math.floor(at / stretchMs);
  const beside = Map.groupBy(bare, stretchOf);
  const stretches = Map.groupBy(own, (probe) => `${probe.service} ${stretchOf(probe)}`);
  const excess = [...stretches.values()].flatMap((stretch) => {
    const then = beside.get(stretchOf(stretch[0]!));
    return stretch.length < minProbes || !then ? [] : [median(stretch) - median(then)];
  });
  return Math.max(...excess);
};

/** Sums up what was answered between two moments. */
export const healthBetween = (probes: Probes, from: number, to: number): HealthReport => {
  const isWithin = ({ at }: Probe): boolean => at >= from && at <= to;
  const own = probes.all.filter(isWithin);
  const bare = probes.bare.filter(isWithin);
  const times = own.map(({ ms }) => ms);
  const max = Math.max(...times);
  return {
    probes: own.length,
    notAlive: own.filter(({ path, status }) => path === '/livez' && status !== 200).length,
    p95: share(times, 0.95),
    max,
    maxBeyondBare: max - Math.max(...bare.map(({ ms }) => ms)),
    worstStretch: worstStretchOf(own, bare),
  };
};

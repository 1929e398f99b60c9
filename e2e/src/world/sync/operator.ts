import type { HttpClient } from '@ranger-relay/http';
import { recordingShell } from '@ranger-relay/terminal/testing';
import { runTool } from 'sync-tool/src/program/program.ts';
import type { SyncShell } from 'sync-tool/src/run/machine.ts';
import type { Network } from '../network.ts';
import { createProcess, type DecideFate, type SimulatedProcess } from '../process.ts';
import type { Simulation } from '../simulation.ts';
import type { WorldDisk } from './disk.ts';

/** What operators work on. */
export interface Surroundings {
  readonly simulation: Simulation;
  readonly fate: DecideFate;
  readonly network: Network;
  readonly disk: WorldDisk;
  /** Receives each request that left, with its answer if one came. */
  readonly watch: (call: SyncCall, request: ObservedRequest) => void;
}

/** A request of a process. */
export interface ObservedRequest {
  readonly method: string;
  readonly url: string;
  readonly sentAt: number;
  /** Undefined while the request is under way. */
  readonly end?: { readonly at: number; readonly body: string };
}

/** A call of sync-tool: one process. */
export interface SyncCall {
  readonly name: string;
  readonly operator: string;
  /** `dry run` whatever the command. */
  readonly command: string;
  /** Hash of the plan that the operator approved for this call. */
  readonly approved: string | undefined;
  readonly process: SimulatedProcess;
  /** As SIGTERM does. */
  interrupt(): void;
}

/** How a call ended; without a code it was killed. */
export interface CallEnd {
  readonly code: number | undefined;
  readonly out: string;
  readonly err: string;
}

/** A person at a machine who calls sync-tool. */
export interface Operator {
  readonly name: string;
  readonly machine: string;
  /** The call that runs now. */
  current(): SyncCall | undefined;
  call(args: readonly string[], approved?: string): Promise<CallEnd>;
  /** The next process ends at its n-th call from its start on. */
  killNextAt(n: number): void;
  readonly counts: { calls: number; kills: number };
}

const site = ['--site-endpoint', 'http://site.world', '--site-token', 'site-token'];

/** Processes by their mark, so that one can see whether another still runs. */
const alive = new WeakMap<Simulation, Map<string, SimulatedProcess>>();

const processesOf = (simulation: Simulation): Map<string, SimulatedProcess> => {
  const processes = alive.get(simulation) ?? new Map<string, SimulatedProcess>();
  alive.set(simulation, processes);
  return processes;
};

const watched = (
  client: HttpClient,
  totalMs: number,
  watch: (request: ObservedRequest) => void,
  clock: Simulation['clock'],
): HttpClient => ({
  ...client,
  async request(wanted) {
    const request = { method: wanted.method, url: wanted.url, sentAt: clock.monotonic() };
    watch(request);
    const answer = await client.request({ totalMs, ...wanted });
    if (answer.status < 300)
      watch({ ...request, end: { at: clock.monotonic(), body: Buffer.from(answer.body).toString() } });
    return answer;
  },
});

/** Creates an operator at a machine. */
export const createOperator = (
  { simulation, fate, network, disk, watch }: Surroundings,
  name: string,
  machine: string,
): Operator => {
  const processes = processesOf(simulation);
  const counts = { calls: 0, kills: 0 };
  let current: SyncCall | undefined;
  let killAt = 0;
  const shellOf = (process: SimulatedProcess, call: () => SyncCall, signal: AbortSignal) => {
    const recording = recordingShell({ env: { TMPDIR: `/machines/${machine}` } });
    const mark = { holder: `${machine}:${process.name}`, machine, started: process.name };
    const shell: SyncShell = {
      ...recording,
      clock: process.clock,
      random: process.random,
      interrupted: () => signal,
      machine: {
        disk: disk.of(process, machine),
        user: { uid: 1_000, username: 'operator' },
        mark,
        hasEnded: (other) => other.machine === machine && processes.get(other.holder)?.alive() !== true,
        connect: ({ totalMs }) =>
          watched(network.clientOf(process), totalMs ?? 120_000, (request) => watch(call(), request), simulation.clock),
      },
    };
    processes.set(mark.holder, process);
    return { shell, recording };
  };
  return {
    name,
    machine,
    counts,
    current: () => current,
    killNextAt: (n) => void (killAt = n),
    async call(args, approved) {
      counts.calls += 1;
      const ended = Promise.withResolvers<number | undefined>();
      const process = createProcess({
        simulation,
        name: `${name}-${counts.calls}`,
        fate,
        onKilled: () => ended.resolve(undefined),
      });
      if (killAt > 0) process.killAtCall(killAt);
      killAt = 0;
      const interruption = new AbortController();
      const command = args[0] === '--dry-run' ? 'dry run' : (args[0] ?? '');
      const call: SyncCall = {
        name: process.name,
        operator: name,
        command,
        approved,
        process,
        interrupt: () => interruption.abort(),
      };
      const { shell, recording } = shellOf(process, () => call, interruption.signal);
      current = call;
      simulation.note(`${call.name} ${args.join(' ')}`);
      simulation.tell(`${call.name}: sync-tool ${args.join(' ')}`);
      void runTool(shell, [...args, ...site]).then(
        (code) => ended.resolve(code === 0 ? recording.exitCode() : code),
        (error: unknown) => ended.reject(error as Error),
      );
      const code = await ended.promise;
      if (code === undefined) counts.kills += 1;
      else process.kill();
      current = undefined;
      simulation.note(`${call.name} ended ${code}`);
      const [out, err] = [recording.lines.join('\n'), recording.errors.join('\n')];
      simulation.tell(
        `${call.name}: ${code === undefined ? 'killed' : `exit ${code}`} ${err.split('\n').at(-1) ?? ''}`,
      );
      return { code, out, err };
    },
  };
};

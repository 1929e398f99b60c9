import { RelayError } from '@ranger-relay/errors';
import type { Clock } from '@ranger-relay/runtime';
import { statusError } from '../api/status.ts';
import type { KubeTransport } from '../api/transport.ts';
import { Failure, statusOf } from '../testing/api-server/failure.ts';
import { builtIn, targetOf } from '../testing/api-server/kinds.ts';
import { createManagers } from '../testing/api-server/managers.ts';
import { createStore } from '../testing/api-server/store.ts';
import { perform, type Cluster } from '../testing/api-server/verbs.ts';

/** What one exchange meets on its way. */
export interface NetworkCondition {
  /** Until the server has it, and until its answer is back, ms. */
  readonly outMs: number;
  readonly backMs: number;
  readonly loses: 'nothing' | 'request' | 'answer';
}

/** The server that all replicas ask. */
export const leaseServer = (clock: Clock): Cluster => ({
  store: createStore(() => clock.now()),
  managers: createManagers(),
  pages: new Map(),
});

/** How one replica reaches the server. */
export interface LinkOptions {
  readonly server: Cluster;
  /** Of the network: requests travel on when their sender has given up, or has stopped. */
  readonly network: Clock;
  /** Of the replica: it hears of an answer when it is not frozen. */
  readonly replica: Clock;
  readonly networkCondition: (method: string) => NetworkCondition;
  /** Nothing gets through now. */
  readonly isCut: () => boolean;
}

const path = '/apis/coordination.k8s.io/v1/namespaces/park/leases';

/** A connection on which requests are late, lost, or carried out without an answer. */
export const leaseLink = ({ server, network, replica, networkCondition, isCut }: LinkOptions): KubeTransport => ({
  call: (request) =>
    new Promise((resolve, reject) => {
      const { outMs, backMs, loses } = networkCondition(request.method);
      const target = targetOf(request.path, builtIn);
      if (!target) throw new Error(`${request.path} is not under ${path}`);
      request.signal?.addEventListener('abort', () => reject(request.signal?.reason as Error));
      const hear = (act: () => void): void => {
        if (loses !== 'answer' && !isCut()) network.after(backMs, () => replica.after(0, act));
      };
      const arrive = (): void => {
        if (loses === 'request' || isCut()) return;
        const { method } = request;
        const body: unknown = structuredClone(request.body);
        const call = {
          method,
          body,
          target,
          query: new URLSearchParams(),
          contentType: 'application/json',
          agent: 'x',
        };
        try {
          const reply = perform(server, call);
          hear(() => resolve(structuredClone(reply.body)));
        } catch (error) {
          if (!(error instanceof Failure)) throw error;
          hear(() => reject(statusError(request.path, error.code, statusOf(error))));
        }
      };
      if (isCut()) return void replica.after(1, () => reject(new RelayError('kube_unreachable')));
      network.after(outMs, arrive);
    }),
  open: () => Promise.reject(new RelayError('kube_unreachable')),
  close: () => undefined,
});

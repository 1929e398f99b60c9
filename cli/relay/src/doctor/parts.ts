import type { Bus } from '@ranger-relay/bus';
import type { TopicKeeper } from '@ranger-relay/bus/kafka';
import type { Resolve } from '@ranger-relay/http';
import type { KeyValue } from '@ranger-relay/kv';
import type { Shell } from '@ranger-relay/terminal';
import type { ActionsCliEnv } from '../actions/env.ts';
import type { Catalogues } from '../actions/services.ts';
import type { RunningProcess } from './checks/running.ts';

/** What the command works with. */
export interface DoctorDependencies {
  readonly shell: Shell;
  /** The bus is a cluster's. @throws RelayError `config_invalid` */
  readonly isRemote: () => boolean;
  readonly openBus: () => Promise<Bus>;
  readonly openKv: () => Promise<KeyValue>;
  /** The process that works on DATA_DIR; null when there is none. Not asked on a cluster. */
  readonly findRunning: () => Promise<RunningProcess | null>;
  readonly openKeeper: () => TopicKeeper;
  readonly catalogues: (env: ActionsCliEnv) => Catalogues;
  /** Finds addresses of names; the system's resolver when left out. */
  readonly resolve?: Resolve;
}

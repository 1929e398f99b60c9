import { RelayError } from '@ranger-relay/errors';
import type { Clock, Timer } from '@ranger-relay/runtime';
import { isReply, isUnknownScript, type Client } from './client.ts';
import { FaultError, lateFault } from './faults.ts';
import type { Link } from './link.ts';
import { afterReads } from './within.ts';

export interface CallsOptions {
  readonly link: Pick<Link, 'client' | 'fault' | 'starting' | 'failed'>;
  readonly clock: Clock;
  /** Deadline of a call, ms. */
  readonly deadlineMs: number;
  /** Maximum number of waiting calls; more are refused. */
  readonly maxWaiting: number;
  /** Called once for all calls of one turn of the event loop. */
  readonly onRoundTrip: () => void;
}

/** Sends commands. Each call ends by its deadline: with a response, an error, or a timeout. */
export interface Calls {
  /**
   * Returns the server's response. Commands of one turn of the event loop are sent together, in order. `otherwise` is sent when the server does
   * not know the script of the command.
   * @throws RelayError `kv_unavailable`, `ambiguous` when the server may have executed the command
   */
  run(command: Command, otherwise?: Command): Promise<unknown>;
  /** Resolves when no call waits; refuses later calls. */
  close(): Promise<void>;
}

type Command = readonly string[];

interface Call {
  readonly otherwise: Command | undefined;
  readonly resolve: (reply: unknown) => void;
  readonly reject: (error: RelayError) => void;
  sentTo: Client | undefined;
  settled: boolean;
}

/** The calls of one turn of the event loop; they share a deadline. */
interface Turn {
  readonly due: number;
  readonly calls: Call[];
  left: number;
  sent: boolean;
}

const unavailable = (reason: string, ambiguous = false): RelayError =>
  new RelayError('kv_unavailable', { details: { reason }, ambiguous });

/** Creates the calls of one space. One timer serves all calls: that of the oldest turn. */
export const createCalls = ({ link, clock, deadlineMs, maxWaiting, onRoundTrip }: CallsOptions): Calls => {
  /** Turns with waiting calls, oldest first. */
  const open = new Set<Turn>();
  let present: Turn | undefined;
  let timer: Timer | undefined;
  let waiting = 0;
  let idle: PromiseWithResolvers<void> | undefined;

  const thisTurn = (): Turn => {
    if (present) return present;
    present = { due: clock.monotonic() + deadlineMs, calls: [], left: 0, sent: false };
    // The client writes in the same phase, right after this callback.
    setImmediate(() => (present = undefined));
    return present;
  };

  const settle = (call: Call, turn: Turn): boolean => {
    if (call.settled) return false;
    call.settled = true;
    waiting -= 1;
    turn.left -= 1;
    if (turn.left === 0) open.delete(turn);
    if (waiting === 0) idle?.resolve();
    return true;
  };

  const expire = (): void => {
    timer = undefined;
    const late = lateFault(deadlineMs);
    for (const turn of open) {
      if (turn.due > clock.monotonic()) break;
      for (const call of turn.calls) {
        const { sentTo } = call;
        if (!settle(call, turn)) continue;
        call.reject(unavailable(late.reason, sentTo !== undefined));
        if (sentTo) link.failed(sentTo, new FaultError(late));
      }
    }
    arm();
  };

  const arm = (): void => {
    const [oldest] = open;
    if (timer || !oldest) return;
    timer = afterReads(clock, Math.max(0, oldest.due - clock.monotonic()), expire);
  };

  const refused = (call: Call, turn: Turn, client: Client, error: unknown): void => {
    if (call.otherwise && isUnknownScript(error)) send(call, turn, call.otherwise);
    else if (settle(call, turn)) call.reject(unavailable(link.failed(client, error).reason, !isReply(error)));
  };

  const send = (call: Call, turn: Turn, command: Command): void => {
    if (call.settled) return;
    const client = link.client();
    if (!client) {
      settle(call, turn);
      return call.reject(unavailable(link.fault()?.reason ?? 'it is not connected'));
    }
    const now = thisTurn();
    if (!now.sent) onRoundTrip();
    now.sent = true;
    call.sentTo = client;
    client.send(command).then(
      (reply) => settle(call, turn) && call.resolve(reply),
      (error: unknown) => refused(call, turn, client, error),
    );
  };

  return {
    run(command, otherwise) {
      if (idle) return Promise.reject(unavailable('it is closed'));
      if (waiting >= maxWaiting) return Promise.reject(unavailable(`${waiting} calls are already waiting`));
      return new Promise((resolve, reject) => {
        const turn = thisTurn();
        const call: Call = { otherwise, resolve, reject, sentTo: undefined, settled: false };
        turn.calls.push(call);
        turn.left += 1;
        waiting += 1;
        open.add(turn);
        arm();
        const starting = link.starting();
        if (starting) void starting.then(() => send(call, turn, command));
        else send(call, turn, command);
      });
    },
    async close() {
      idle ??= Promise.withResolvers<void>();
      if (waiting === 0) idle.resolve();
      await idle.promise;
      timer?.cancel();
    },
  };
};

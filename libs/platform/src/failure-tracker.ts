import { isRelayError, type RelayError } from '@ranger-relay/errors';
import { BoundedMap, delayFor, type Backoff, type Clock, type Random } from '@ranger-relay/runtime';

/** A lane and the integration whose events it holds. */
export interface LaneRef {
  readonly integrationId: string;
  /** Unique among the topics, partitions and lanes of this process. */
  readonly lane: string;
}

/** The wait of a failing lane: when the next retry is due. */
export interface Wait {
  readonly afterMs: number;
}

/** How the forwarder retries after failures. Times in ms. */
export interface RetryPolicy {
  readonly outage: Backoff;
  /** After a failure that is confined to one integration, such as a refused key. */
  readonly confined: Backoff;
  /** Longest Retry-After that the forwarder obeys; 0 ignores the header. */
  readonly retryAfterMs: number;
  /** The forwarder parks an integration that fails for this long while others succeed. */
  readonly parkAfterMs: number;
}

/** Distinguishes failures of an item, of an integration and of the platform. Times on the monotonic clock, ms. */
export interface FailureTracker {
  /** Records a success. True when the integration had been failing: other lanes may be waiting for the same recovery. */
  succeeded(ref: LaneRef): boolean;
  /** @param startedAt when the call began; the failure counts from then */
  failed(ref: LaneRef, error: RelayError, startedAt: number): void;
  /** The lane's current wait; undefined when it may send now. */
  waiting(ref: LaneRef): Wait | undefined;
  /** Whether the lane's events must be parked. */
  shouldPark(ref: LaneRef): boolean;
  /** True when the lane failed three times ambiguously while other lanes succeeded, or for minutes: one of its items may be the cause. */
  shouldIsolate(ref: LaneRef): boolean;
  /** Whether the platform accepted an item of any integration since this lane began to fail. */
  othersWork(ref: LaneRef): boolean;
  /** Number of failures of the lane since its last success. */
  failures(ref: LaneRef): number;
  /** For how long the lane has failed, ms; 0 while it does not. */
  failingMs(ref: LaneRef): number;
  /** Time of the latest success, of one integration or of any. */
  newestSuccess(integrationId?: string): number;
  /**
   * True after three `integration_gone` responses in a row over 15 minutes. When no other integration succeeded meanwhile, the platform's
   * address may be wrong, and the tracker requires a day.
   */
  isGone(integrationId: string): boolean;
  /** Number of calls that the integration may have in flight. */
  slots(integrationId: string): number;
  /** Whether the forwarder may send only one item, as a probe. */
  isProbing(integrationId: string): boolean;
  /** Lets all waiting lanes retry at once. */
  wakeAll(): void;
}

interface IntegrationState {
  failingSince: number | undefined;
  failures: number;
  failedAt: number;
  retryAt: number;
  confined: boolean;
  probeUntil: number;
  lastSuccess: number;
  gone: { readonly answers: number; readonly since: number } | undefined;
}

interface LaneState {
  failingSince: number;
  failures: number;
  ambiguous: number;
  failedAt: number;
  retryAt: number;
}

const laneLimit = 50_000;
const maxInFlight = 3;
const isolateAfter = 3;
/** When no other success proves that the platform works, a lane starts to isolate the failing item after this time, ms. */
const isolateAloneMs = 5 * 60_000;
/** A success of another lane of the same integration is weaker proof than one of another integration: parking on it takes longer, ms. */
const ownProofMs = 60_000;
/** When the requested wait is longer than this, the forwarder probes with one item a minute, ms. */
const probeMs = 60_000;
/** After a wake-up caused by another recovery, an integration still waits this long after its last failure, ms. */
const wakeGapMs = 5_000;
const goneAnswers = 3;
const goneMs = 15 * 60_000;
const goneWithoutProofMs = 86_400_000;

/** Policy of the live and the parked route. */
export const steadyPolicy = (parkAfterMs: number): RetryPolicy => ({
  outage: { baseMs: 1_000, maxMs: 60_000, jitterMs: 500 },
  confined: { baseMs: 30_000, maxMs: 600_000, jitterMs: 5_000 },
  retryAfterMs: 5 * 60_000,
  parkAfterMs,
});

/** Policy of the emergency route: retries soon enough to deliver within five seconds of the platform's return. */
export const emergencyPolicy: RetryPolicy = {
  outage: { baseMs: 1_000, maxMs: 2_000, jitterMs: 250 },
  confined: { baseMs: 1_000, maxMs: 2_000, jitterMs: 250 },
  retryAfterMs: 0,
  parkAfterMs: Infinity,
};

const fresh = (): IntegrationState => ({
  failingSince: undefined,
  failures: 0,
  failedAt: -Infinity,
  retryAt: 0,
  confined: false,
  probeUntil: 0,
  lastSuccess: -Infinity,
  gone: undefined,
});

/**
 * Tracks failures by lane and by integration. When a lane fails while other lanes of its integration succeed, only that lane waits.
 * @param other a tracker of the same integrations whose successes count as proof here too
 */
export const createFailureTracker = (
  clock: Pick<Clock, 'monotonic'>,
  random: Random,
  policy: RetryPolicy,
  other?: Pick<FailureTracker, 'newestSuccess'>,
): FailureTracker => {
  const integrations = new Map<string, IntegrationState>();
  const lanes = new BoundedMap<LaneState>(laneLimit);
  let newestOfAll = -Infinity;
  let wokenAt = -Infinity;

  const stateOf = (id: string): IntegrationState => {
    const state = integrations.get(id) ?? fresh();
    integrations.set(id, state);
    return state;
  };

  const failingSince = ({ integrationId, lane }: LaneRef): number | undefined =>
    lanes.get(lane)?.failingSince ?? integrations.get(integrationId)?.failingSince;

  /** Whether another integration that is not failing succeeded since then. */
  const othersSucceededSince = (id: string, since: number): boolean => {
    for (const [other, state] of integrations)
      if (other !== id && state.failingSince === undefined && state.lastSuccess > since) return true;
    return false;
  };

  const shouldPark = (ref: LaneRef): boolean => {
    const since = failingSince(ref);
    if (since === undefined) return false;
    const state = stateOf(ref.integrationId);
    const failedFor = clock.monotonic() - since;
    if (othersSucceededSince(ref.integrationId, since)) return state.confined || failedFor >= policy.parkAfterMs;
    return policy.parkAfterMs < Infinity && newestSuccess(ref.integrationId) > since && failedFor >= ownProofMs;
  };

  const newestSuccess = (id?: string): number =>
    Math.max(
      id === undefined ? newestOfAll : (integrations.get(id)?.lastSuccess ?? -Infinity),
      other?.newestSuccess(id) ?? -Infinity,
    );

  const failLane = (lane: string, error: RelayError, startedAt: number, now: number): LaneState => {
    const state = lanes.get(lane) ?? { failingSince: startedAt, failures: 0, ambiguous: 0, failedAt: now, retryAt: 0 };
    state.failedAt = now;
    state.failures += 1;
    state.ambiguous += error.ambiguous ? 1 : 0;
    state.retryAt = now + delayFor(policy.outage, state.failures - 1, random);
    lanes.set(lane, state);
    return state;
  };

  const failIntegration = (state: IntegrationState, error: RelayError, startedAt: number, now: number): void => {
    state.failingSince ??= startedAt;
    state.failedAt = now;
    state.confined = error.confined;
    const gone = isRelayError(error, 'integration_gone');
    state.gone = gone ? { answers: (state.gone?.answers ?? 0) + 1, since: state.gone?.since ?? now } : undefined;
    const delay = delayFor(error.confined ? policy.confined : policy.outage, state.failures, random);
    const asked = Math.min(error.retryAfterMs ?? 0, policy.retryAfterMs);
    if (asked > probeMs) state.probeUntil = now + asked;
    state.retryAt = now + Math.max(delay, Math.min(asked, probeMs));
    state.failures += 1;
  };

  const isGone = (id: string): boolean => {
    const gone = integrations.get(id)?.gone;
    if (gone === undefined || gone.answers < goneAnswers) return false;
    return clock.monotonic() - gone.since >= (newestSuccess() > gone.since ? goneMs : goneWithoutProofMs);
  };

  const noteSuccess = (id: string): boolean => {
    const state = stateOf(id);
    const recovered = state.failingSince !== undefined;
    newestOfAll = clock.monotonic();
    integrations.set(id, { ...fresh(), lastSuccess: newestOfAll });
    return recovered;
  };

  /** When the lane's own wait ends: it applies while the lane fails but its integration works. */
  const laneWaitsUntil = ({ integrationId, lane }: LaneRef): number => {
    const state = lanes.get(lane);
    const alone = state !== undefined && newestSuccess(integrationId) > state.failingSince && state.failedAt > wokenAt;
    return alone ? state.retryAt : 0;
  };

  const integrationWaitsUntil = (id: string): number => {
    const state = integrations.get(id);
    return state?.failingSince === undefined || isGone(id) ? 0 : state.retryAt;
  };

  const othersWork = ({ lane }: LaneRef): boolean => newestSuccess() > (lanes.get(lane)?.failingSince ?? Infinity);

  return {
    succeeded(ref) {
      lanes.delete(ref.lane);
      return noteSuccess(ref.integrationId);
    },
    failed(ref, error, startedAt) {
      const now = clock.monotonic();
      const lane = failLane(ref.lane, error, startedAt, now);
      const state = stateOf(ref.integrationId);
      // The integration works, so only the lane is at fault.
      if (!error.confined && newestSuccess(ref.integrationId) > lane.failingSince) return;
      // Failures within one wait count once, however many lanes report them.
      if (state.failingSince !== undefined && now < state.retryAt) return;
      failIntegration(state, error, startedAt, now);
    },
    waiting(ref) {
      const until = Math.max(integrationWaitsUntil(ref.integrationId), laneWaitsUntil(ref));
      const afterMs = until - clock.monotonic();
      return afterMs > 0 ? { afterMs } : undefined;
    },
    shouldPark,
    shouldIsolate(ref) {
      const lane = lanes.get(ref.lane);
      if (lane === undefined || lane.ambiguous < isolateAfter) return false;
      return othersWork(ref) || clock.monotonic() - lane.failingSince >= isolateAloneMs;
    },
    othersWork,
    failures: ({ lane }) => lanes.get(lane)?.failures ?? 0,
    failingMs: ({ lane }) => clock.monotonic() - (lanes.get(lane)?.failingSince ?? clock.monotonic()),
    newestSuccess,
    isGone,
    slots: (id) => (integrations.get(id)?.failingSince === undefined ? maxInFlight : 1),
    isProbing: (id) => (integrations.get(id)?.probeUntil ?? 0) > clock.monotonic(),
    wakeAll() {
      wokenAt = clock.monotonic();
      for (const state of integrations.values())
        state.retryAt = Math.min(state.retryAt, Math.max(wokenAt, state.failedAt + wakeGapMs));
    },
  };
};

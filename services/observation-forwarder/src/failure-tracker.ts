import { isRelayError, type RelayError } from '@ranger-relay/errors';
import { createBoundedMap, delayFor, type Backoff, type Clock, type Random } from '@ranger-relay/runtime';

/** A lane and the integration whose events it holds. */
export interface LaneRef {
  readonly integrationId: string;
  /** Unique among the topics, partitions and lanes of this process. */
  readonly lane: string;
}

/** What holds for a lane that fails: when to try again, and whether its events should make room for others. */
export interface Wait {
  readonly afterMs: number;
  readonly park: boolean;
}

/** How failures are answered. Times in ms. */
export interface RetryPolicy {
  readonly outage: Backoff;
  /** After a failure that is one integration's alone: a refused key. */
  readonly confined: Backoff;
  /** Most of a Retry-After that is obeyed; 0 obeys none. */
  readonly retryAfterMs: number;
  /** An integration that fails for so long while others succeed is parked. */
  readonly parkAfterMs: number;
}

/** Tells an item's, an integration's and the platform's failures apart. Times on the monotonic clock, ms. */
export interface FailureTracker {
  /** True when the integration had been failing: others may have waited for the same. */
  succeeded(ref: LaneRef): boolean;
  /** @param startedAt when the call began: it fails from then on */
  failed(ref: LaneRef, error: RelayError, startedAt: number): void;
  /** Another process had a success of this integration. */
  succeededElsewhere(integrationId: string): void;
  /** What the lane waits for; undefined when it may be tried now. */
  waiting(ref: LaneRef): Wait | undefined;
  /** Whether the lane's events are to be parked. */
  shouldPark(ref: LaneRef): boolean;
  /** The lane failed three times ambiguously while others were accepted, or for minutes: one of its items may be the reason. */
  shouldIsolate(ref: LaneRef): boolean;
  /** Something was accepted since the lane fails, whosever it was. */
  othersWork(ref: LaneRef): boolean;
  /** How often the lane has failed since something of it was accepted. */
  failures(ref: LaneRef): number;
  /** When something was accepted last: of one integration, or of any. */
  newestSuccess(integrationId?: string): number;
  /**
   * Said to be gone three times over 15 minutes, with nothing else in between. Where nobody else was accepted meanwhile, the platform's
   * address may be wrong: it takes a day.
   */
  isGone(integrationId: string): boolean;
  /** Calls that the integration may have in flight. */
  slots(integrationId: string): number;
  /** Only one item may be sent, to see whether more could. */
  isProbing(integrationId: string): boolean;
  /** All who wait may try at once. */
  wakeAll(): void;
  isAnyFailing(): boolean;
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
/** Where nobody else could prove that the platform works, a lane looks for the failing item itself, ms. */
const isolateAloneMs = 5 * 60_000;
/** Another lane of the same integration proves less than another integration: it takes longer, ms. */
const ownProofMs = 60_000;
/** Beyond so long a wait one item a minute is tried, ms. */
const probeMs = 60_000;
/** Who is woken by somebody else's recovery is not tried again sooner after its last failure, ms. */
const wakeGapMs = 5_000;
const goneAnswers = 3;
const goneMs = 15 * 60_000;
const goneWithoutProofMs = 86_400_000;

/** Live and parked events. */
export const steadyPolicy = (parkAfterMs: number): RetryPolicy => ({
  outage: { baseMs: 1_000, maxMs: 60_000, jitterMs: 500 },
  confined: { baseMs: 30_000, maxMs: 600_000, jitterMs: 5_000 },
  retryAfterMs: 5 * 60_000,
  parkAfterMs,
});

/** Emergencies: soon enough to be accepted within five seconds of the platform's return. */
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
 * Tracks failures by lane and by integration. A lane that fails while its integration's other lanes succeed waits alone.
 * @param other a tracker of the same integrations whose successes are proof here too
 */
export const createFailureTracker = (
  clock: Pick<Clock, 'monotonic'>,
  random: Random,
  policy: RetryPolicy,
  other?: Pick<FailureTracker, 'newestSuccess'>,
): FailureTracker => {
  const integrations = new Map<string, IntegrationState>();
  const lanes = createBoundedMap<LaneState>(laneLimit);
  let newestOfAll = -Infinity;
  let wokenAt = -Infinity;

  const stateOf = (id: string): IntegrationState => {
    const state = integrations.get(id) ?? fresh();
    integrations.set(id, state);
    return state;
  };

  const failingSince = ({ integrationId, lane }: LaneRef): number | undefined =>
    lanes.get(lane)?.failingSince ?? integrations.get(integrationId)?.failingSince;

  /** A success of an integration that is not failing itself. */
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

  /** Until when the lane waits for itself: it fails while its integration works. */
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
    succeededElsewhere: (id) => void noteSuccess(id),
    failed(ref, error, startedAt) {
      const now = clock.monotonic();
      const lane = failLane(ref.lane, error, startedAt, now);
      const state = stateOf(ref.integrationId);
      // The integration works: the fault is the lane's.
      if (!error.confined && newestSuccess(ref.integrationId) > lane.failingSince) return;
      // Failures of one waiting time count once, however many lanes report them.
      if (state.failingSince !== undefined && now < state.retryAt) return;
      failIntegration(state, error, startedAt, now);
    },
    waiting(ref) {
      const until = Math.max(integrationWaitsUntil(ref.integrationId), laneWaitsUntil(ref));
      const afterMs = until - clock.monotonic();
      return afterMs > 0 ? { afterMs, park: shouldPark(ref) } : undefined;
    },
    shouldPark,
    shouldIsolate(ref) {
      const lane = lanes.get(ref.lane);
      if (lane === undefined || lane.ambiguous < isolateAfter) return false;
      return othersWork(ref) || clock.monotonic() - lane.failingSince >= isolateAloneMs;
    },
    othersWork,
    failures: ({ lane }) => lanes.get(lane)?.failures ?? 0,
    newestSuccess,
    isGone,
    slots: (id) => (integrations.get(id)?.failingSince === undefined ? maxInFlight : 1),
    isProbing: (id) => (integrations.get(id)?.probeUntil ?? 0) > clock.monotonic(),
    wakeAll() {
      wokenAt = clock.monotonic();
      for (const state of integrations.values())
        state.retryAt = Math.min(state.retryAt, Math.max(wokenAt, state.failedAt + wakeGapMs));
    },
    isAnyFailing: () => [...integrations.values()].some(({ failingSince: since }) => since !== undefined),
  };
};

import type { Batch, DeadLetterFacts } from '@ranger-relay/bus';
import { maybeSentHeader, type Message, type Observation } from '@ranger-relay/contracts';
import { isRelayError, RelayError, toRelayError } from '@ranger-relay/errors';
import {
  chunkSize,
  newDeliveryAttempt,
  sendInChunks,
  type LaneRef,
  type ListAnswer,
  type Settle,
} from '@ranger-relay/platform';
import type { Delivered } from './delivered.ts';
import type { ForwardDependencies, Route } from './handler.ts';
import { type PostQueue, Stopped } from './post-queue.ts';
import type { Count } from './tally.ts';
import { dueTasks, isFinished, isOurs, type Part, type Task } from './task.ts';

/** Result of sending a batch. */
export interface SendResult {
  /** The platform's failure that stopped the batch; undefined when the batch completed or a local cause stopped it. */
  readonly failure: RelayError | undefined;
  /** True when events were left behind an item that fails alone; they must be parked so that the lane's other events can proceed. */
  readonly isolated: boolean;
}

/** Number of failures after which an emergency lane sends its texts without their positions. */
const overtakeAfter = 3;

const newestReceipt = (tasks: readonly Task[]): string =>
  tasks.reduce((latest, { event }) => (event.received_at > latest ? event.received_at : latest), '');

const other: Readonly<Record<Part, Part>> = { observation: 'message', message: 'observation' };

/** Builds the dead letter of one part of an event. Its body is the event with that part alone, ready to be republished. */
const factsOf = (
  { record, event, maybeSent }: Task,
  kind: Part,
  reason: string,
  detail: string,
  attempts: number,
): DeadLetterFacts => ({
  kind,
  integrationId: event.integration_id,
  reason,
  detail,
  body: Buffer.from(JSON.stringify({ ...event, [other[kind]]: null })),
  receivedAt: Date.parse(event.received_at),
  attempts,
  origin: record,
  headers: { ...record.headers, ...(maybeSent[kind] && { [maybeSentHeader]: 'yes' }) },
});

/** Sends one batch of one lane: all observations first, then messages. */
export class SendBatch {
  private failure: RelayError | undefined;
  /** Sources with an item that failed alone or is held; later events of the same source wait, in order. */
  private readonly blocked = new Set<string>();
  private isolating: boolean;
  /** True while emergency texts are sent ahead of their positions. */
  private overtaking = false;
  private first = true;
  private acceptedSinceLoneFailure = true;
  private callStartedAt = 0;

  private readonly deps: ForwardDependencies;
  private readonly route: Route;
  private readonly ref: LaneRef;
  private readonly batch: Batch;
  private readonly tasks: readonly Task[];
  private readonly delivered: Delivered;
  private readonly count: Count;

  constructor(
    deps: ForwardDependencies,
    route: Route,
    {
      ref,
      batch,
      tasks,
      delivered,
      count,
    }: { ref: LaneRef; batch: Batch; tasks: readonly Task[]; delivered: Delivered; count: Count },
  ) {
    this.deps = deps;
    this.route = route;
    this.ref = ref;
    this.batch = batch;
    this.tasks = tasks;
    this.delivered = delivered;
    this.count = count;
    this.isolating = route.tracker.shouldIsolate(ref);
  }

  async send(): Promise<SendResult> {
    try {
      await this.sendPart<Observation>('observation', this.route.observations).catch((error: unknown) => {
        if (!this.mayOvertake()) throw error;
      });
      if (this.mayOvertake()) {
        this.overtaking = true;
        this.blocked.clear();
      }
      await this.sendPart<Message>('message', this.route.messages);
    } catch (error) {
      if (this.failure === undefined && !isOurs(error) && !(error instanceof Stopped)) throw error;
    }
    const proved = this.acceptedSinceLoneFailure || this.route.tracker.othersWork(this.ref);
    return { failure: this.failure, isolated: this.blocked.size > 0 && proved };
  }

  /** A position that repeatedly fails or is held must not delay the text of an emergency. */
  private mayOvertake(): boolean {
    const { name, tracker } = this.route;
    if (name !== 'emergency' || this.failure === undefined || this.batch.signal.aborted) return false;
    return isRelayError(this.failure, 'refusals_held') || tracker.failures(this.ref) >= overtakeAfter;
  }

  private sendPart<T extends Observation | Message>(part: Part, queue: PostQueue<T>): Promise<void> {
    const settle: Settle<Task> = {
      accepted: (tasks, { ids }) => this.accepted(part, tasks, ids),
      refused: (task, code, reason) => this.refused(part, task, code, reason),
      failed: (tasks, error) => this.failed(part, tasks, error),
      open: (task) => task.due[part] && !this.blocked.has(task.event.source),
    };
    return sendInChunks(
      dueTasks(this.tasks, part),
      (tasks) => this.post(part, tasks, queue),
      settle,
      () => this.size(),
    );
  }

  /** A lane that may contain a failing item sends its first item alone; an integration that asked for a wait gets one item. */
  private size(): number {
    const alone = (this.isolating && this.first) || this.route.tracker.isProbing(this.ref.integrationId);
    this.first = false;
    return alone ? 1 : chunkSize;
  }

  private async post<T extends Observation | Message>(
    part: Part,
    tasks: readonly Task[],
    queue: PostQueue<T>,
  ): Promise<ListAnswer> {
    const answer = await queue.post(this.ref.integrationId, {
      count: tasks.length,
      alone: this.isolating,
      prepare: () => this.prepare<T>(part, tasks),
      isStopped: () => this.batch.signal.aborted,
    });
    this.deps.succeeded(this.route, this.ref);
    return answer;
  }

  private async prepare<T extends Observation | Message>(part: Part, tasks: readonly Task[]): Promise<readonly T[]> {
    const { clock, random } = this.deps.context;
    // Another lane may have failed while this one waited for a slot.
    if (!this.isolating && !this.overtaking && this.route.tracker.waiting(this.ref)) throw new Stopped();
    if (this.batch.signal.aborted) throw new Stopped();
    await this.announce(part, tasks);
    this.callStartedAt = clock.monotonic();
    return tasks.map(({ event, maybeSent }) => {
      const value = event[part] as T;
      const attempt = maybeSent[part] ? { delivery_attempt: newDeliveryAttempt(random) } : {};
      return { ...value, additional: { ...value.additional, ...attempt } };
    });
  }

  /**
   * The bus keeps the announcement with the committed offset: after a kill, the next owner sends what it covers with a number (ARCHITECTURE, What
   * a take-over knows). Without an announcement it would send it plain, so this try carries the number: the two must differ.
   */
  private async announce(part: Part, tasks: readonly Task[]): Promise<void> {
    const { batch } = this;
    const ownership = await batch.announce().then(
      (isOwned) => (isOwned ? 'owned' : 'lost'),
      (error: unknown) => {
        if (!isRelayError(error, 'bus_unavailable')) throw error;
        return 'unknown';
      },
    );
    if (ownership === 'lost' || batch.signal.aborted) throw new Stopped();
    if (ownership === 'unknown') for (const { maybeSent } of tasks) maybeSent[part] = true;
  }

  private async accepted(part: Part, tasks: readonly Task[], ids: readonly (string | undefined)[]): Promise<void> {
    const { context, refusals } = this.deps;
    this.acceptedSinceLoneFailure = true;
    const given = ids.filter((id) => id !== undefined);
    for (const [index, task] of tasks.entries()) {
      task.due[part] = false;
      task.answers[part] = given[index] as string;
    }
    context.metrics.count('relay_events_accepted_total', { kind: part }, tasks.length);
    await Promise.all([
      this.record(tasks),
      this.count.add(`${part}s`, tasks.length, newestReceipt(tasks)),
      refusals.accepted(this.ref.integrationId, part),
    ]);
  }

  private async refused(part: Part, task: Task, code: string, reason: string): Promise<void> {
    const { deadLetters, refusals, reporter } = this.deps;
    if (this.batch.signal.aborted) throw new Stopped();
    if (code === 'item_refused' && !(await refusals.mayGiveUp(this.ref.integrationId, part)))
      return this.hold(task, reason);
    await deadLetters.write(factsOf(task, part, code, reason, this.batch.attempt + 1), { key: task.record.key });
    reporter.gaveUp(task.event, code, reason);
    task.due[part] = false;
    task.answers[part] = null;
    await this.record([task]);
  }

  /** Too many refusals in a row: the item and the source's later events wait. */
  private hold(task: Task, reason: string): void {
    const error = new RelayError('refusals_held', { details: { integration: this.ref.integrationId, reason } });
    this.fail(error);
    this.blocked.add(task.event.source);
  }

  private fail(error: RelayError): void {
    this.failure ??= error;
    this.deps.context.metrics.count('relay_forward_failures_total', { code: error.code });
    this.route.tracker.failed(this.ref, error, this.callStartedAt);
  }

  private async failed(part: Part, tasks: readonly Task[], thrown: unknown): Promise<'halve' | 'leave'> {
    const error = toRelayError(thrown);
    if (thrown instanceof Stopped || error.code === 'internal') throw thrown;
    const { tracker } = this.route;
    if (error.ambiguous) for (const { maybeSent } of tasks) maybeSent[part] = true;
    const isSuspect = this.isolating && error.ambiguous && tasks.length > 1;
    // After an item failed alone, a failing list indicates an outage, unless the platform accepts other items.
    if (isSuspect && (this.acceptedSinceLoneFailure || tracker.othersWork(this.ref))) return 'halve';
    this.fail(error);
    if (isSuspect) throw thrown;
    if (tracker.isGone(this.ref.integrationId)) {
      for (const task of tasks) await this.refused(part, task, 'integration_gone', error.message);
      return 'leave';
    }
    this.isolating ||= tracker.shouldIsolate(this.ref);
    if (!error.ambiguous || !this.isolating) throw thrown;
    return tasks.length > 1 ? 'halve' : this.failedAlone(part, tasks[0] as Task, error);
  }

  /** Two items in a row that fail alone, with no acceptance between them, indicate an outage: no item is at fault. */
  private async failedAlone(part: Part, task: Task, error: RelayError): Promise<'leave'> {
    if (!this.acceptedSinceLoneFailure) throw error;
    this.acceptedSinceLoneFailure = false;
    const { integrationId } = this.ref;
    const item = `${part} ${integrationId} ${task.event.event_id}`;
    if (this.deps.loneFailures.isHopeless({ item, integrationId }, this.route.tracker))
      await this.refused(part, task, 'item_fails', error.message);
    else this.blocked.add(task.event.source);
    return 'leave';
  }

  private async record(tasks: readonly Task[]): Promise<void> {
    for (const task of tasks) if (task.event.sos && isFinished(task)) this.deps.sosDelivery.finished(task);
    await this.delivered.accept(
      tasks.map((task) => ({
        event: task.event,
        mark: isFinished(task) ? 'done' : task.due.observation ? 'message' : 'observation',
      })),
    );
  }
}

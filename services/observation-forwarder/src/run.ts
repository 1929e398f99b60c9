import type { Batch } from '@ranger-relay/bus';
import { topics, type Message, type Observation } from '@ranger-relay/contracts';
import { isRelayError, toRelayError, type RelayError } from '@ranger-relay/errors';
import type { Part } from './attempts.ts';
import type { Claims } from './claims.ts';
import { deadLetterOf } from './dead-letter.ts';
import type { ForwardParts } from './parts.ts';
import { sendInChunks, type ListAnswer, type Settle } from '@ranger-relay/platform';
import type { Count } from './tally.ts';
import { isFinished, owing, type Task } from './task.ts';

/** Thrown between calls when the partition is handed over, or another worker may have the events. */
class Stopped extends Error {}

const newestReceipt = (tasks: readonly Task[]): string =>
  tasks.reduce((latest, { event }) => (event.received_at > latest ? event.received_at : latest), '');

/** The sending of one batch of one integration, whose events are claimed. */
export class Run {
  private failure: RelayError | undefined;
  private readonly parts: ForwardParts;
  private readonly batch: Batch;
  private readonly tasks: readonly Task[];
  private readonly claims: Claims;
  private readonly count: Count;

  constructor(parts: ForwardParts, batch: Batch, tasks: readonly Task[], claims: Claims, count: Count) {
    this.parts = parts;
    this.batch = batch;
    this.tasks = tasks;
    this.claims = claims;
    this.count = count;
  }

  /**
   * Sends what is due: all observations first, then messages. Returns the failure of the platform that stopped it, or undefined when it
   * came to its end or something of our own stopped it; what is still due is then tried again.
   */
  async send(): Promise<RelayError | undefined> {
    const { sensors } = this.parts;
    const integrationId = this.batch.lane;
    try {
      await this.sendPart<Observation>('observation', (list) => sensors.postObservations(integrationId, list));
      await this.sendPart<Message>('message', (list) => sensors.postMessages(integrationId, list));
    } catch (error) {
      const ours = isRelayError(error) && error.next === 'retry' && error.code !== 'internal';
      if (this.failure === undefined && !ours && !(error instanceof Stopped)) throw error;
    }
    return this.failure;
  }

  private sendPart<T extends Observation | Message>(
    part: Part,
    post: (list: readonly T[]) => Promise<ListAnswer>,
  ): Promise<void> {
    const body = ({ event }: Task): T => {
      const value = event[part] as T;
      return { ...value, additional: { ...value.additional, ...this.parts.attempts.mark(part, event) } };
    };
    const settle: Settle<Task> = {
      accepted: (tasks) => this.accepted(part, tasks),
      refused: (task, code, reason) => this.refused(part, task, code, reason),
    };
    return sendInChunks(
      owing(this.tasks, part),
      (tasks) => this.post(part, tasks, () => post(tasks.map(body))),
      settle,
    );
  }

  private async post(part: Part, tasks: readonly Task[], call: () => Promise<ListAnswer>): Promise<ListAnswer> {
    const { failures, attempts, context, wake } = this.parts;
    const events = tasks.map(({ event }) => event);
    if (!(await this.claims.stillOurs(events)) || this.batch.signal.aborted) throw new Stopped();
    try {
      const answer = await call();
      wake(failures.succeeded(this.batch.lane));
      return answer;
    } catch (thrown) {
      const error = toRelayError(thrown);
      context.metrics.count('relay_forward_failures_total', { code: error.code });
      if (error.ambiguous) attempts.lost(part, events);
      if (error.next !== 'dead' && error.code !== 'internal') this.failure = error;
      throw thrown;
    }
  }

  private async accepted(part: Part, tasks: readonly Task[]): Promise<void> {
    const { metrics, clock } = this.parts.context;
    for (const task of tasks) this.settle(part, task);
    metrics.count('relay_events_accepted_total', { kind: part }, tasks.length);
    const counted = this.count.add(`${part}s`, tasks.length, newestReceipt(tasks));
    await Promise.all([...tasks.map((task) => this.mark(task)), counted]);
    for (const task of tasks)
      if (task.event.sos && isFinished(task))
        metrics.observe(
          'relay_sos_acceptance_seconds',
          Math.max(0, clock.now() - Date.parse(task.event.received_at)) / 1000,
        );
  }

  private async refused(part: Part, task: Task, code: string, reason: string): Promise<void> {
    const { bus, context } = this.parts;
    if (this.batch.signal.aborted) throw new Stopped();
    const refusal = { part, code, detail: reason, attempts: this.batch.attempt + 1 };
    const letter = deadLetterOf(task.record, task.event, refusal, context);
    await bus.publish(topics.deadLetters.name, [{ key: task.record.key, value: JSON.stringify(letter) }]);
    context.metrics.count('relay_dead_letters_total', { kind: letter.kind, reason: code });
    if (task.event.sos) context.metrics.count('relay_sos_events_total', { outcome: 'refused' });
    this.settle(part, task);
    await this.mark(task);
  }

  private settle(part: Part, task: Task): void {
    task.due[part] = false;
    this.parts.attempts.settled(part, task.event);
  }

  private mark(task: Task): Promise<void> {
    return this.claims.mark(task.event, isFinished(task) ? 'done' : 'obs');
  }
}

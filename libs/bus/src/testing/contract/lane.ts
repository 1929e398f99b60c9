import type { ExecutionContext } from 'ava';
import { topics } from '@ranger-relay/contracts';
import type { BusTopic } from '../../embedded/topics.ts';
import type { Bus } from '../../port.ts';

/** One bus on storage of its own, as a case of the contract needs it. */
export interface BusWorld {
  readonly bus: Bus;
  /** Ends the bus without waiting for handlers and opens the same storage again. */
  reopen(): Promise<Bus>;
  /** Another client of the same storage, in another process or as if it were. */
  beside(): Promise<Bus>;
  /** Makes the storage hang for at least a second, from now on. */
  stall(): Promise<void>;
  /** Publishes from a process that is killed with -9 in the middle; returns the values it saw acknowledged. */
  killedPublisher(topic: string): Promise<readonly string[]>;
}

/** An adapter under the contract. */
export interface BusLane {
  readonly name: string;
  /** Opens a bus with the topics of the contract on fresh storage; everything ends with the test. */
  open(t: ExecutionContext): Promise<BusWorld>;
}

/** One named case. */
export interface ContractCase {
  readonly name: string;
  run(t: ExecutionContext, world: BusWorld): Promise<void>;
}

const day = 86_400_000;

/** A topic of several partitions. */
export const events: BusTopic = { name: 'events', partitions: 4, retentionMs: day, maxRecordBytes: 10_000 };

/** A topic of one partition: its order is total. */
export const single: BusTopic = { name: 'single', partitions: 1, retentionMs: day, maxRecordBytes: 1_048_576 };

/** Every topic that the cases use. */
export const contractTopics: readonly BusTopic[] = [events, single, topics.deadLetters];

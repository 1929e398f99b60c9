import type { SwitchBoard } from '../../switches/board.ts';
import type { Clock } from '../../time/clock.ts';
import type { Random } from '../../time/random.ts';
import type { AnswerLog } from '../answer-log.ts';
import type { Dedup } from '../dedup.ts';
import type { Door } from '../door.ts';
import type { IntegrationBook } from '../integrations.ts';
import type { Counting } from '../stats.ts';

/** What the sensors API works with. */
export interface SensorParts {
  readonly clock: Clock;
  readonly random: Random;
  readonly switches: SwitchBoard;
  readonly integrations: IntegrationBook;
  readonly dedup: Dedup;
  readonly door: Door;
  readonly answers: AnswerLog;
  readonly counting: Counting;
  /** Ids of events that can be changed. */
  readonly events: { has(id: string): boolean; add(id: string): void };
}

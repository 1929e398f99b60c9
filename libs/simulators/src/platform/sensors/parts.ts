import type { SwitchBoard } from '../../switches/board.ts';
import type { Clock } from '../../time/clock.ts';
import type { Random } from '../../time/random.ts';
import type { AnswerLog } from '../answer-log.ts';
import type { Dedup } from '../dedup.ts';
import type { Door } from '../door.ts';
import type { IntegrationBook } from '../integrations.ts';
import type { Counting } from '../stats.ts';

/** Events that can be changed, each by the integration that made it alone. */
export interface EventBook {
  has(id: string, integration: string | null): boolean;
  add(id: string, integration: string): void;
}

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
  readonly events: EventBook;
}

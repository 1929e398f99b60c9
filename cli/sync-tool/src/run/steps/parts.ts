import type { PlannedChange } from '@ranger-relay/contracts';
import type { Site } from '@ranger-relay/site';
import type { Writes } from '../writes.ts';

/** What carrying out a change works with. */
export interface StepParts {
  readonly site: Site;
  readonly writes: Writes;
  /** Subjects by uuid of their employee, as far as they are known; the run adds those that it creates. */
  readonly subjects: Map<string, string>;
}

/** A change of one kind. */
export type ChangeOf<Kind extends PlannedChange['kind']> = Extract<PlannedChange, { kind: Kind }>;

/** What became of a change: done, or found done already by somebody else. */
export type Done = 'done' | 'already';

import { withConditions, type Condition, type Said } from '@ranger-relay/operator-kit';
import type { Decision } from '../decide/decision.ts';
import type { PlanStatus } from '../api/run-status.ts';

const yes = (is: boolean): 'True' | 'False' => (is ? 'True' : 'False');

const planned = (plan: PlanStatus | undefined): Pick<Said, 'status' | 'reason' | 'message'> => {
  if (!plan) return { status: 'False', reason: 'NoPlan', message: 'There is no plan for this spec yet' };
  if (plan.outcome !== 'done')
    return { status: 'False', reason: 'PlanFailed', message: plan.message ?? 'The plan failed' };
  const { hash, writes, path } = plan;
  return { status: 'True', reason: 'Planned', message: `${hash ? `Plan ${hash}: ` : ''}${writes} writes; ${path}` };
};

/** What is said about an object, from a decision. Ready and what is true of it have the same words. */
export const conditionsOf = (
  { say, plan }: Pick<Decision<unknown>, 'say' | 'plan'>,
  before: readonly Condition[] | undefined,
  { generation, now }: { readonly generation: number; readonly now: number },
): readonly Condition[] => {
  const { reason, message } = say;
  const flag = (type: string, is: boolean): Said => ({
    type,
    status: yes(is),
    reason: is ? reason : 'None',
    message: is ? message : '',
    observedGeneration: generation,
  });
  const said: Said[] = [
    { type: 'Ready', status: yes(say.ready), reason, message, observedGeneration: generation },
    flag('Reconciling', say.state === 'working'),
    { type: 'Planned', observedGeneration: generation, ...planned(plan) },
    flag('ApprovalRequired', say.state === 'approval'),
    flag('Stalled', say.state === 'stalled'),
  ];
  return withConditions(before, said, now);
};

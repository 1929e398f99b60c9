import { appendFileSync } from 'node:fs';
import { defineAction, type ActionContext } from '@ranger-relay/actions';
import { z } from 'zod';

/** A line that a run leaves behind. */
export interface RunLine {
  readonly action: string;
  readonly integration: string | null;
  readonly event: string | undefined;
  readonly attempt: number;
  readonly pid: number;
  /** Number that the caller gave the run. */
  readonly n: number;
  readonly phase: 'begun' | 'ended';
  readonly at: number;
}

const fields = z.object({ n: z.number().default(0), ms: z.number().default(0), block_ms: z.number().default(0) });

type Run = Pick<
  ActionContext<z.output<typeof fields>>,
  'actionId' | 'integration' | 'deliveryId' | 'attempt' | 'config' | 'clock' | 'signal'
>;

/** Blocks the event loop. */
const block = (ms: number): void => {
  const end = performance.now() + ms;
  while (performance.now() < end);
};

/** Actions that do nothing but take time and leave lines in a file. */
export const createActions = (file: string, pid: number) => {
  const note = ({ actionId, integration, deliveryId, attempt, config }: Run, phase: RunLine['phase']): void => {
    const line: RunLine = {
      action: actionId,
      integration: integration.id,
      event: deliveryId,
      attempt,
      pid,
      n: config.n,
      phase,
      at: Date.now(),
    };
    appendFileSync(file, `${JSON.stringify(line)}\n`);
  };

  const run = async (context: Run): Promise<null> => {
    note(context, 'begun');
    block(context.config.block_ms);
    await context.clock.sleep(context.config.ms, context.signal);
    note(context, 'ended');
    return null;
  };

  return {
    action_tick: defineAction({ type: 'pull', config: fields, schedule: '* * * * *', run }),
    action_work: defineAction({ type: 'generic', config: fields, run }),
  };
};

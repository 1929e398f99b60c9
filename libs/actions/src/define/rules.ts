import { RelayError } from '@ranger-relay/errors';
import { z } from 'zod';
import { parseCrontab } from '../schedule/crontab.ts';
import { actionTypes, type ActionSpec } from './action.ts';

/** Reserved name under which the configuration of a webhook is stored. */
const reserved = 'webhook';

const scheduleProblem = ({ type, schedule }: ActionSpec): string | undefined => {
  if (schedule === undefined) return undefined;
  if (type !== 'pull') return 'only a pull action can have a schedule';
  try {
    parseCrontab(String(schedule));
    return undefined;
  } catch (error) {
    if (error instanceof RelayError)
      return `its schedule ${JSON.stringify(schedule)}: ${String(error.details['reason'])}`;
    throw error;
  }
};

/** Name of a data model, or a prefix of one followed by `*`. */
export const modelForm = /^[A-Za-z0-9_.-]+[*]?$/;

const dataProblem = ({ type, data, model }: ActionSpec): string | undefined => {
  if (type !== 'push')
    return data !== undefined || model !== undefined ? 'only a push action can have data and model' : undefined;
  if (data !== undefined && !(data instanceof z.ZodType)) return 'its data must be a zod schema';
  if (typeof model === 'string' && modelForm.test(model)) return undefined;
  return 'a push action must name its data model: letters, digits, "_", "." and "-", with "*" at the end for a start';
};

const configProblem = ({ type, config }: ActionSpec): string | undefined => {
  if (!(config instanceof z.ZodObject)) return 'its config must be a zod object';
  const onSchedule = config.shape['run_on_schedule'] as z.ZodType | undefined;
  if (type === 'pull' && onSchedule && ![true, false].every((value) => onSchedule.safeParse(value).success))
    return 'run_on_schedule in its config must be true or false';
  return undefined;
};

const idProblem = (id: string): string | undefined => {
  if (!/^[a-z0-9_]{1,100}$/.test(id)) return 'its id, after "action_", must be 1 to 100 of a-z, 0-9 and "_"';
  return id === reserved ? `the id "${reserved}" is reserved` : undefined;
};

const timeoutProblem = ({ timeout }: ActionSpec): string | undefined =>
  timeout === undefined || (typeof timeout === 'number' && timeout > 0 && Number.isFinite(timeout))
    ? undefined
    : 'its timeout must be a number of seconds above 0';

/** The first rule that an action violates, as the end of a sentence about it; undefined when it is valid. */
export const brokenRule = (id: string, spec: ActionSpec | undefined): string | undefined => {
  if (!spec) return 'it must be made by defineAction';
  if (!actionTypes.includes(spec.type)) return `its type must be one of ${actionTypes.join(', ')}`;
  if (typeof spec.run !== 'function') return 'its run must be a function';
  return idProblem(id) ?? configProblem(spec) ?? dataProblem(spec) ?? scheduleProblem(spec) ?? timeoutProblem(spec);
};
